import { Notice, Skeleton, shortHex } from '@tallystick/ui'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { hrefOf } from '../parts/place.ts'
import { navigate, useLocation } from '../parts/router.ts'
import type { Lookup } from './keep-report.ts'
import { parseOwner } from './parse-owner.ts'
import { useLookup } from './use-lookup.ts'
import { type WalletActions, WalletReport } from './wallet-report.tsx'

type WalletViewProps = {
  readonly info: PortalInfo
  readonly session: Session | undefined
  /** Undefined until the service's time is known. */
  readonly serverOffsetMs: number | undefined
  readonly actions?: WalletActions | undefined
}

/** Renders the lookup of an address or a name: its positions, earnings and maturities. The URL names the owner. */
export function WalletView({ info, session, serverOffsetMs, actions }: WalletViewProps) {
  const hasEns = info.ens === true
  const segment = useOwnerSegment()
  const owner = useMemo(() => (segment === undefined ? undefined : parseOwner(segment, { hasEns })), [segment, hasEns])
  const [text, setText] = useState(segment ?? '')
  const [typedFault, setTypedFault] = useState<string | undefined>(undefined)
  const { lookup, run } = useLookup({ info, session, serverOffsetMs, owner })
  useEffect(() => {
    if (segment === undefined) return
    setTypedFault(undefined)
    setText(segment)
  }, [segment])
  const submit = (typed: string) => {
    const parsed = parseOwner(typed, { hasEns })
    setTypedFault('fault' in parsed ? parsed.fault : undefined)
    // A failed lookup leaves no report of another owner.
    if ('fault' in parsed) navigate(hrefOf('wallet'))
    else if (typed === segment) run({ keepsReport: false })
    else navigate(hrefOf('wallet', typed))
  }
  const fault = typedFault ?? (owner && 'fault' in owner ? owner.fault : undefined)
  return (
    <>
      <div class="view-head">
        <h1 id="wallet-heading" tabIndex={-1}>
          Wallet
        </h1>
        <p>Positions, earnings and maturities of any address. Data on the chain is public.</p>
      </div>
      <form
        class="card lookup"
        onSubmit={(event) => {
          event.preventDefault()
          submit(text.trim())
        }}
      >
        <label class="field-label" for="wallet-address">
          {hasEns ? 'Address or ENS name' : 'Address'}
        </label>
        <div class="lookup-row">
          <input
            id="wallet-address"
            class="mono"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            placeholder={hasEns ? '0x… or name.eth' : '0x…'}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={fault !== undefined}
            aria-describedby={fault ? 'wallet-fault' : undefined}
          />
          <button type="submit" class="primary" disabled={!session}>
            Look up
          </button>
        </div>
        {fault ? (
          <p id="wallet-fault" class="field-fault" role="alert">
            {fault}
          </p>
        ) : null}
        <Examples wallets={info.visitor?.wallets ?? []} isDisabled={!session} onChoose={submit} />
      </form>
      <div aria-live="polite">
        <Outcome
          lookup={lookup}
          hasKey={session !== undefined}
          namesChains={info.chains.length > 1}
          actions={actions}
          refresh={() => run({ keepsReport: true })}
        />
      </div>
    </>
  )
}

type ExamplesProps = {
  readonly wallets: readonly string[]
  readonly isDisabled: boolean
  readonly onChoose: (wallet: string) => void
}

function Examples({ wallets, isDisabled, onChoose }: ExamplesProps) {
  if (wallets.length === 0) return null
  return (
    <p class="examples hint">
      In this sandbox, try{' '}
      {wallets.slice(0, 4).map((wallet) => (
        <button key={wallet} type="button" class="chip mono" disabled={isDisabled} onClick={() => onChoose(wallet)}>
          {shortHex(wallet)}
        </button>
      ))}
    </p>
  )
}

type OutcomeProps = {
  readonly lookup: Lookup
  readonly hasKey: boolean
  readonly namesChains: boolean
  readonly actions: WalletActions | undefined
  readonly refresh: () => void
}

function Outcome({ lookup, hasKey, ...report }: OutcomeProps) {
  switch (lookup.status) {
    case 'idle':
      return hasKey ? null : (
        <Notice tone="calm" title="API key required">
          Positions are read through the API. Enter your key above.
        </Notice>
      )
    case 'loading':
      return (
        <div class="card" role="status">
          <span class="sr-only">Looking up…</span>
          <Skeleton height="9rem" />
        </div>
      )
    case 'failed':
      return <ErrorNotice error={lookup.error} />
    case 'unresolved':
      return (
        <Notice tone="warn" title={`${lookup.name} has no address here`}>
          {lookup.problem}
        </Notice>
      )
    case 'found':
      return (
        <>
          {lookup.refreshError === undefined ? null : (
            <ErrorNotice error={lookup.refreshError} hint="The report below is the last one." />
          )}
          <WalletReport wallet={lookup.wallet} name={lookup.name} {...report} />
        </>
      )
  }
}

/** Returns the owner that the URL names. While another view is open, it is the last one. */
function useOwnerSegment(): string | undefined {
  const { view, segment } = useLocation()
  const owner = useRef<string>(undefined)
  if (view === 'wallet') owner.current = segment
  return owner.current
}
