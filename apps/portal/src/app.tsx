import type { RateAnswer } from '@tallystick/client'
import type { PortalChain, PortalInfo } from '@tallystick/core'
import { Button, Notice, type Polled, useLoaded, usePolled } from '@tallystick/ui'
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { listClosedPools } from './data/pool-status.ts'
import type { Session } from './data/session.ts'
import { type Access, useAccess } from './data/use-access.ts'
import { KeyPanel } from './parts/key-panel.tsx'
import { useLocation, useViewChange } from './parts/router.ts'
import { TopBar } from './parts/top-bar.tsx'
import { DataAge } from './reach/data-age.tsx'
import { fetchService, loadFromService, useIsLost } from './reach/page-reachability.ts'
import { Views } from './views.tsx'

/** Renders the page. */
export function App() {
  const { value: info, error } = useLoaded(true, (signal) => loadFromService(fetchPortalInfo, signal))
  const isLost = useIsLost()
  const isDown = useRef(false)
  isDown.current ||= error !== undefined || isLost
  const isShown = info !== undefined || isDown.current
  useLayoutEffect(() => {
    if (isShown) document.getElementById('shell')?.remove()
  }, [isShown])
  if (info) return <Portal info={info} />
  // Before, the page shows the shell, which is in its HTML.
  return isDown.current ? <ServiceDown problem={(error as Error | undefined)?.message} /> : null
}

function Portal({ info }: { readonly info: PortalInfo }) {
  const place = useLocation()
  useViewChange(place)
  const access = useAccess(info)
  const { session, notes, fault, rejectedKey, setKey, leave } = access
  const rate = useRate(session, notes.view?.validFrom)
  const [isChanging, setIsChanging] = useState(false)
  const keyButton = useRef<HTMLButtonElement>(null)
  const close = () => {
    setIsChanging(false)
    const target = keyButton.current ?? document.getElementById('main')
    target?.focus({ preventScroll: true })
  }
  const sandboxKey = info.visitor?.apiKey
  // The documentation can be read without a key.
  const isDocs = place.view === 'docs'
  const showsKeyPanel = isChanging || (isDocs ? fault !== undefined : session === undefined)
  return (
    <>
      <Button class="skip" label="Skip to content" onClick={() => document.getElementById('main')?.focus()} />
      <TopBar
        view={place.view}
        keyLabel={session && labelAccess(session, sandboxKey)}
        isVisitor={session !== undefined && session.apiKey === undefined}
        keyButton={keyButton}
        isKeyPanelOpen={showsKeyPanel}
        onChangeKey={() => setIsChanging(true)}
        status={<DataAge atMs={rate.atMs} serverOffsetMs={notes.view?.serverOffsetMs ?? 0} />}
      />
      <main id="main" tabIndex={-1}>
        {showsKeyPanel ? (
          <KeyPanel
            fault={fault}
            rejectedKey={rejectedKey}
            sandboxKey={sandboxKey}
            isOpened={isChanging}
            leaving={chooseLeaving(access, sandboxKey)}
            onSubmit={(apiKey, place) => {
              setKey(apiKey, apiKey === sandboxKey ? undefined : place)
              close()
            }}
            onLeave={() => {
              leave()
              close()
            }}
            onCancel={isChanging && (session || isDocs) ? close : undefined}
          />
        ) : null}
        <Views info={info} place={place} access={access} rate={rate} enterKey={() => setIsChanging(true)} />
      </main>
      <Footer />
      <ClosedPools rate={rate} chains={info.chains} />
    </>
  )
}

function labelAccess({ apiKey }: Session, sandboxKey: string | undefined): string {
  if (apiKey === undefined) return 'Visitor'
  return apiKey === sandboxKey ? 'Sandbox key' : `Key …${apiKey.slice(-4)}`
}

/** Returns what the person may do instead of using a key of their own, in words. */
function chooseLeaving({ session, isOpen }: Access, sandboxKey: string | undefined): string | undefined {
  const hasOwnKey = session?.apiKey !== undefined && session.apiKey !== sandboxKey
  if (hasOwnKey) return isOpen ? 'Forget the key and go on as a visitor' : 'Forget the key'
  return isOpen && (!session || session.apiKey !== undefined) ? 'Go on as a visitor' : undefined
}

// Rates change once a day, but the pool's status and the data's lag change all the time.
const rateIntervalMs = 20_000

/**
 * Returns the rates and the state of every pool. `period` is the start of the current period, if it is known: a new one
 * has new rates. The first request does not wait for it and is not repeated when it becomes known.
 */
function useRate(session: Session | undefined, period: bigint | undefined) {
  const first = useRef(period)
  first.current ??= period
  const laterPeriod = period === first.current ? undefined : period
  const request = useCallback(
    (signal: AbortSignal) => (session as Session).client.rate({ signal }),
    [session, laterPeriod],
  )
  return usePolled(session && request, rateIntervalMs)
}

async function fetchPortalInfo(signal: AbortSignal): Promise<PortalInfo> {
  const response = await fetchService('/portal.json', { cache: 'no-store', signal })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
  return (await response.json()) as PortalInfo
}

function ServiceDown({ problem }: { readonly problem: string | undefined }) {
  return (
    <main class="no-service grid">
      <h1>Tallystick</h1>
      <Notice tone="bad" title="The service does not respond">
        The page opens by itself when it does. {problem ? `(${problem})` : null}
      </Notice>
      <Button class="primary" label="Reload" onClick={() => location.reload()} />
    </main>
  )
}

const titles = { paused: 'is paused', rejecting: 'rejects loans' } as const
const hints = {
  paused: 'Nobody can lend or claim there until the pause ends.',
  rejecting: 'Nobody can lend there until the operator has fixed it. Claims work.',
} as const

type ClosedPoolsProps = {
  readonly rate: Polled<RateAnswer>
  readonly chains: readonly PortalChain[]
}

/** Renders which pools accept no loans, at the lower edge of every view, where it moves nothing when it appears. */
function ClosedPools({ rate, chains }: ClosedPoolsProps) {
  return (
    <div class="closed-pools">
      {listClosedPools(rate, chains).map(({ chain, state, reason }) => (
        <Notice key={chain.id} tone="warn" title={`${chain.name} ${titles[state]}`}>
          {hints[state]} {reason}
        </Notice>
      ))}
    </div>
  )
}

function Footer() {
  return (
    <footer class="spread footer full wrap ruled-top hint">
      <p>A tally stick recorded a debt to the English Exchequer. It was split in two, so that each party held proof.</p>
      <nav class="flex" aria-label="For developers">
        <a href="/docs">Documentation</a>
        <a href="/openapi.json">OpenAPI</a>
      </nav>
    </footer>
  )
}
