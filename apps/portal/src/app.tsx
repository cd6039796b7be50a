import { Notice } from '@tallystick/ui'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ClaimSlot } from './claim/claim-slot.tsx'
import { openConnector } from './connect/open-connector.ts'
import { isPoolPaused } from './data/pool-status.ts'
import { fetchPortalInfo, type PortalInfo } from './data/portal-info.ts'
import { createSession, type Session } from './data/session.ts'
import { useNotes } from './data/use-notes.ts'
import { useRate } from './data/use-rate.ts'
import { DocsView } from './docs/docs-view.tsx'
import { ExplorerView } from './explorer/explorer-view.tsx'
import { HistoryView } from './history/history-view.tsx'
import { LendView } from './lend/lend-view.tsx'
import { Overview } from './overview/overview.tsx'
import { ClosedPools } from './parts/closed-pools.tsx'
import { Footer } from './parts/footer.tsx'
import { KeyPanel } from './parts/key-panel.tsx'
import { useLocation, useViewChange } from './parts/router.ts'
import { TopBar } from './parts/top-bar.tsx'
import { VerifyView } from './verify/verify-view.tsx'
import type { Wallet } from './wallet/look-up-wallet.ts'
import { WalletView } from './wallet/wallet-view.tsx'

/** Renders the page. All views stay mounted, so their input survives navigation. */
export function App() {
  const { info, problem } = usePortalInfo()
  if (problem) return <ServiceDown problem={problem} />
  return info ? <Portal info={info} /> : <p class="page-loading">Loading…</p>
}

function Portal({ info }: { readonly info: PortalInfo }) {
  const place = useLocation()
  const { view } = place
  useViewChange(place)
  const { session, error, setKey } = useSession(info)
  const notes = useNotes(session?.client)
  const connector = useMemo(() => openConnector(info), [info])
  const [isChanging, setIsChanging] = useState(false)
  const keyButton = useRef<HTMLButtonElement>(null)
  const close = () => {
    setIsChanging(false)
    const target = keyButton.current ?? document.getElementById('main')
    target?.focus({ preventScroll: true })
  }
  const rejection = notes.failure?.error.code === 'invalid_api_key' ? notes.failure.error : undefined
  const isSandboxKey = session !== undefined && session.apiKey === info.visitor?.apiKey
  const needsKey = session === undefined || rejection !== undefined || error !== undefined
  const validSession = needsKey ? undefined : session
  // The documentation can be read without a key.
  const showsKeyPanel = isChanging || (view === 'docs' ? (error ?? rejection) !== undefined : needsKey)
  const rate = useRate(validSession, notes.view?.validFrom)
  // Without notes the service's time is unknown, and the visitor's has to do.
  const serverOffsetMs = notes.view?.serverOffsetMs ?? (notes.failure ? 0 : undefined)
  const isPaused = (chainId: number) => isPoolPaused(rate, chainId)
  const forWallet = (wallet: Wallet, refresh: () => void) => (
    <ClaimSlot
      {...{ wallet, refresh, connector, isPaused, chains: info.chains, serverOffsetMs: serverOffsetMs ?? 0 }}
    />
  )
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <TopBar
        view={view}
        keyLabel={validSession && (isSandboxKey ? 'Sandbox key' : `Key …${validSession.apiKey.slice(-4)}`)}
        keyButton={keyButton}
        isKeyPanelOpen={showsKeyPanel}
        onChangeKey={() => setIsChanging(true)}
      />
      <main id="main" tabIndex={-1}>
        {showsKeyPanel ? (
          <KeyPanel
            error={error ?? rejection}
            rejectedKey={rejection && session?.apiKey}
            sandboxKey={info.visitor?.apiKey}
            isOpened={isChanging}
            onSubmit={(apiKey) => {
              setKey(apiKey)
              close()
            }}
            onCancel={isChanging && (!needsKey || view === 'docs') ? close : undefined}
          />
        ) : null}
        <ClosedPools rate={rate} chains={info.chains} />
        <section hidden={view !== 'overview'} aria-labelledby="overview-heading">
          <Overview info={info} session={validSession} notes={notes} rate={rate} />
        </section>
        <section hidden={view !== 'lend'} aria-labelledby="lend-heading">
          <LendView {...{ info, session: validSession, notes, connector, rate, isOpen: view === 'lend' }} />
        </section>
        <section hidden={view !== 'history'} aria-labelledby="history-heading">
          <HistoryView info={info} session={validSession} notes={notes} isOpen={view === 'history'} />
        </section>
        <section hidden={view !== 'wallet'} aria-labelledby="wallet-heading">
          <WalletView info={info} session={validSession} serverOffsetMs={serverOffsetMs} actions={{ forWallet }} />
        </section>
        <section hidden={view !== 'verify'} aria-labelledby="verify-heading">
          <VerifyView info={info} notes={notes.view} />
        </section>
        <section hidden={view !== 'explorer'} aria-labelledby="explorer-heading">
          <ExplorerView info={info} session={validSession} isOpen={view === 'explorer'} />
        </section>
        <section hidden={view !== 'docs'} aria-labelledby="docs-heading">
          <DocsView
            info={info}
            session={validSession}
            segment={view === 'docs' ? place.segment : undefined}
            isOpen={view === 'docs'}
            enterKey={() => setIsChanging(true)}
          />
        </section>
      </main>
      <Footer />
    </>
  )
}

/** Returns the current session. A malformed key is reported at once and never sent. */
function useSession(info: PortalInfo) {
  const open = useCallback(
    (apiKey: string): { readonly session?: Session; readonly error?: unknown } => {
      try {
        return { session: createSession(apiKey, info) }
      } catch (error) {
        return { error }
      }
    },
    [info],
  )
  const [state, setState] = useState(() => (info.visitor ? open(info.visitor.apiKey) : {}))
  return { ...state, setKey: (apiKey: string) => setState(open(apiKey)) }
}

function usePortalInfo() {
  const [state, setState] = useState<{ readonly info?: PortalInfo; readonly problem?: string }>({})
  useEffect(() => {
    fetchPortalInfo().then(
      (info) => setState({ info }),
      (error: Error) => setState({ problem: error.message }),
    )
  }, [])
  return state
}

function ServiceDown({ problem }: { readonly problem: string }) {
  return (
    <main class="no-service">
      <h1>Tallystick</h1>
      <Notice tone="bad" title="The service does not respond">
        Reload the page in a few seconds. ({problem})
      </Notice>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  )
}
