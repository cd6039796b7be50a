import { useEffect, useRef, useState } from 'preact/hooks'
import type { Address } from 'viem'
import type { PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import { shortHex } from '../format/short-hex.ts'
import { ErrorNotice, Notice } from '../parts/notice.tsx'
import { hrefOf } from '../parts/place.ts'
import { navigate, useLocation } from '../parts/router.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { lookUpWallet, type Wallet } from './look-up-wallet.ts'
import { WalletReport } from './wallet-report.tsx'

type Lookup =
  | { readonly status: 'idle' }
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'found'; readonly wallet: Wallet }

/** Renders the lookup of an address: its positions, earnings and maturities. */
export function WalletView({
  info,
  session,
  serverOffsetMs,
}: {
  readonly info: PortalInfo
  readonly session: Session | undefined
  readonly serverOffsetMs: number
}) {
  const owner = useOwner()
  const [text, setText] = useState(owner ?? '')
  const [fault, setFault] = useState<string | undefined>(undefined)
  const { lookup, run, clear } = useLookup({ info, session, serverOffsetMs })
  const check = (address: string): address is Address => {
    const isAddress = /^0x[0-9a-f]{40}$/i.test(address)
    setFault(isAddress ? undefined : 'An address is 0x followed by 40 hex digits.')
    return isAddress
  }
  useEffect(() => {
    clear()
    setFault(undefined)
    if (owner === undefined) return
    setText(owner)
    if (check(owner)) run(owner)
  }, [owner, session])
  const submit = (address: string) => {
    if (address === owner && check(address)) run(address)
    else if (check(address)) navigate(hrefOf('wallet', address))
    // A failed lookup must not leave the report of another owner.
    else clear()
  }
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
        <label for="wallet-address">Address</label>
        <div class="lookup-row">
          <input
            id="wallet-address"
            class="mono"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            placeholder="0x…"
            autocomplete="off"
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
        {info.visitor ? (
          <p class="examples">
            In this sandbox, try{' '}
            {info.visitor.wallets.slice(0, 4).map((wallet) => (
              <button
                key={wallet}
                type="button"
                class="chip mono"
                disabled={!session}
                onClick={() => {
                  setText(wallet)
                  submit(wallet)
                }}
              >
                {shortHex(wallet)}
              </button>
            ))}
          </p>
        ) : null}
      </form>
      <div aria-live="polite">
        <Outcome lookup={lookup} hasKey={session !== undefined} namesChains={info.chains.length > 1} />
      </div>
    </>
  )
}

function Outcome({
  lookup,
  hasKey,
  namesChains,
}: {
  readonly lookup: Lookup
  readonly hasKey: boolean
  readonly namesChains: boolean
}) {
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
    case 'found':
      return <WalletReport wallet={lookup.wallet} namesChains={namesChains} />
  }
}

/** Returns the owner that the URL names. While another view is open, it is the last one. */
function useOwner(): string | undefined {
  const { view, segment } = useLocation()
  const owner = useRef<string>(undefined)
  if (view === 'wallet') owner.current = segment
  return owner.current
}

/** Runs one lookup at a time. A new lookup aborts the last one. */
function useLookup({
  info,
  session,
  serverOffsetMs,
}: {
  readonly info: PortalInfo
  readonly session: Session | undefined
  readonly serverOffsetMs: number
}) {
  const [lookup, setLookup] = useState<Lookup>({ status: 'idle' })
  const running = useRef<AbortController>(undefined)
  const run = (address: Address) => {
    if (!session) return
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setLookup({ status: 'loading' })
    const at = BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
    const finish = (outcome: Lookup) => {
      if (!controller.signal.aborted) setLookup(outcome)
    }
    lookUpWallet(session.client, { address, chains: info.chains, at, signal: controller.signal }).then(
      (wallet) => finish({ status: 'found', wallet }),
      (error: unknown) => finish({ status: 'failed', error }),
    )
  }
  const clear = () => {
    running.current?.abort()
    setLookup({ status: 'idle' })
  }
  return { lookup, run, clear }
}
