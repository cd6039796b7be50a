import { Notice, Skeleton } from '@tallystick/ui'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import type { ExplorerProps } from './explorer.tsx'

type ExplorerViewProps = {
  readonly info: PortalInfo
  readonly session: Session | undefined
  readonly isOpen: boolean
}

/** Renders the query explorer. Its editor is larger than the rest of the page, so it loads when first opened. */
export function ExplorerView({ info, session, isOpen }: ExplorerViewProps) {
  const [wasOpened, setWasOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setWasOpened(true)
  return (
    <>
      <div class="view-head">
        <h1 id="explorer-heading" tabIndex={-1}>
          Query explorer
        </h1>
        <p>Query the protocol’s subgraph with GraphQL. Requests go to POST /data, as your code would send them.</p>
      </div>
      {session ? (
        wasOpened && <LazyExplorer info={info} session={session} />
      ) : (
        <Notice tone="calm" title="API key required">
          Queries use the API. Enter your key above.
        </Notice>
      )}
    </>
  )
}

function LazyExplorer(props: ExplorerProps) {
  const [Explorer, setExplorer] = useState<ComponentType<ExplorerProps> | undefined>(undefined)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    import('./explorer.tsx').then(
      (module) => setExplorer(() => module.Explorer),
      () => setHasFailed(true),
    )
  }, [])
  if (hasFailed) {
    return (
      <Notice tone="bad" title="The explorer could not be loaded">
        Check your connection and reload the page. The service may have been updated since you opened it.
      </Notice>
    )
  }
  return Explorer ? (
    <Explorer {...props} />
  ) : (
    <div class="card" role="status">
      <span class="sr-only">Loading the explorer…</span>
      <Skeleton height="24rem" />
    </div>
  )
}
