import { listStoredKeys, quietStorage } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { ClaimSlot } from './claim/claim-slot.tsx'
import { startPageConnector } from './connect/connector.ts'
import type { PageState } from './data/page-state.ts'
import { isPoolPaused } from './data/pool-status.ts'
import { withKey } from './data/session.ts'
import type { Access } from './data/use-access.ts'
import { DocsView } from './docs/docs-view.tsx'
import { ExplorerView } from './explorer/explorer-view.tsx'
import { HistoryView } from './history/history-view.tsx'
import { LendView } from './lend/lend-view.tsx'
import { Overview } from './overview/overview.tsx'
import type { Place, View } from './parts/place.ts'
import { openSentStore } from './sent/sent-store.ts'
import { StatementSlot } from './statement/statement-slot.tsx'
import { TraySlot } from './tray/tray-slot.tsx'
import { VerifyView } from './verify/verify-view.tsx'
import { WalletView } from './wallet/wallet-view.tsx'

type ViewsProps = Pick<PageState, 'info' | 'rate'> & {
  readonly place: Place
  readonly access: Access
  readonly enterKey: () => void
}

/** Renders the view of a place. All views stay mounted, so their input survives navigation. */
export function Views({ info, place: { view, segment }, access: { session, notes }, rate, enterKey }: ViewsProps) {
  const connector = useMemo(() => startPageConnector(info), [info])
  const sent = useMemo(
    () => openSentStore({ storage: quietStorage, listKeys: listStoredKeys, target: window, now: Date.now }),
    [],
  )
  // Without notes the service's time is unknown, and the visitor's has to do.
  const serverOffsetMs = notes.view?.serverOffsetMs ?? (notes.failure ? 0 : undefined)
  const claims = { connector, sent, chains: info.chains, serverOffsetMs: serverOffsetMs ?? 0 }
  const shown: Readonly<Record<View, ComponentChildren>> = {
    overview: <Overview info={info} session={session} notes={notes} rate={rate} />,
    lend: <LendView {...{ info, session, notes, connector, sent, rate, isOpen: view === 'lend' }} />,
    history: <HistoryView info={info} session={session} notes={notes} sent={sent} isOpen={view === 'history'} />,
    wallet: (
      <WalletView
        info={info}
        session={session}
        sent={sent}
        serverOffsetMs={serverOffsetMs}
        renderActions={(wallet, refresh) => (
          <ClaimSlot {...claims} {...{ wallet, refresh }} isPaused={(chainId) => isPoolPaused(rate, chainId)} />
        )}
        renderStatement={(wallet, name) => <StatementSlot {...{ wallet, name }} chains={info.chains} />}
      />
    ),
    verify: <VerifyView info={info} notes={notes.view} />,
    explorer: (
      <ExplorerView
        {...{ info, enterKey }}
        session={withKey(session)}
        isOpen={view === 'explorer'}
        isVisitor={session !== undefined}
      />
    ),
    docs: (
      <DocsView
        {...{ info, session, enterKey, isOpen: view === 'docs' }}
        segment={view === 'docs' ? segment : undefined}
      />
    ),
  }
  return (
    <>
      {Object.entries(shown).map(([name, content]) => (
        <section key={name} hidden={name !== view} aria-labelledby={`${name}-heading`}>
          {content}
        </section>
      ))}
      <TraySlot {...claims} session={session} />
    </>
  )
}
