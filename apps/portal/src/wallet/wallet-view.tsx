import { Button, FieldFault, Loading, Notice, shortHex, withoutReload } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageState } from '../data/page-state.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { hrefOf } from '../parts/place.ts'
import { navigate, useLocation, useSearchOf } from '../parts/router.ts'
import { ViewHead } from '../parts/view-head.tsx'
import type { SentStore } from '../sent/sent-store.ts'
import type { Lookup } from './keep-report.ts'
import type { Wallet } from './look-up-wallet.ts'
import { parseOwner } from './parse-owner.ts'
import { useLookup } from './use-lookup.ts'
import { useSentRefresh } from './use-sent-refresh.ts'
import { type RenderActions, WalletReport } from './wallet-report.tsx'

type WalletViewProps = Pick<PageState, 'info' | 'session'> & {
  /** Undefined until the service's time is known. */
  readonly serverOffsetMs: number | undefined
  /** What this browser sent. */
  readonly sent: SentStore
  readonly renderActions: RenderActions
  readonly renderStatement: RenderStatement
}

/** Renders a wallet as a document. */
type RenderStatement = (wallet: Wallet, name: string | undefined) => ComponentChildren

/** Renders the lookup of an address or a name: its positions, earnings and maturities. The URL names the owner. */
export function WalletView({ info, session, serverOffsetMs, sent, renderActions, renderStatement }: WalletViewProps) {
  const hasEns = info.ens === true
  const segment = useOwnerSegment()
  const hasStatement = useSearchOf('wallet').has('statement')
  const owner = useMemo(() => (segment === undefined ? undefined : parseOwner(segment, { hasEns })), [segment, hasEns])
  const [text, setText] = useState(segment ?? '')
  const [typedFault, setTypedFault] = useState<string>()
  const { lookup, run } = useLookup({ info, session, serverOffsetMs, owner })
  const refresh = () => run({ keepsReport: true })
  useSentRefresh(sent, { lookup, refresh })
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
      <ViewHead view="wallet">Positions, earnings and maturities of any address. Data on the chain is public.</ViewHead>
      <form class="card lookup below" onSubmit={withoutReload(() => submit(text.trim()))}>
        <label class="field-label" for="wallet-address">
          {hasEns ? 'Address or ENS name' : 'Address'}
        </label>
        <div class="lookup-row flex">
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
          <Button type="submit" class="primary" label="Look up" disabled={!session} />
        </div>
        <FieldFault id="wallet-fault" text={fault} />
        <Examples wallets={info.visitor?.wallets ?? []} isDisabled={!session} onChoose={submit} />
      </form>
      <div aria-live="polite">
        <Outcome
          lookup={lookup}
          hasKey={session !== undefined}
          namesChains={info.chains.length > 1}
          renderStatement={hasStatement ? renderStatement : undefined}
          renderActions={renderActions}
          refresh={refresh}
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
        <Button
          key={wallet}
          class="chip mono"
          label={shortHex(wallet)}
          disabled={isDisabled}
          onClick={() => onChoose(wallet)}
        />
      ))}
    </p>
  )
}

type OutcomeProps = {
  readonly lookup: Lookup
  readonly hasKey: boolean
  readonly namesChains: boolean
  /** Undefined unless the URL names the statement. */
  readonly renderStatement: RenderStatement | undefined
  readonly renderActions: RenderActions
  readonly refresh: () => void
}

function Outcome({ lookup, hasKey, renderStatement, ...report }: OutcomeProps) {
  switch (lookup.status) {
    case 'idle':
      return hasKey ? null : (
        <Notice tone="calm" title="API key required" text="Positions are read through the API. Enter your key above." />
      )
    case 'loading':
      return <Loading class="card" text="Looking up…" height="9rem" />
    case 'failed':
      return <ErrorNotice error={lookup.error} />
    case 'unresolved':
      return <Notice tone="warn" title={`${lookup.name} has no address here`} text={lookup.problem} />
    case 'found':
      return (
        <>
          {lookup.refreshError === undefined ? null : (
            <ErrorNotice error={lookup.refreshError} hint="The report below is the last one." />
          )}
          {renderStatement?.(lookup.wallet, lookup.name) ?? (
            <WalletReport wallet={lookup.wallet} name={lookup.name} {...report} />
          )}
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
