import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import { Notice } from '../parts/notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { ExplorerProps } from './explorer.tsx'

/** The query explorer. Its editor is larger than all the rest of the page, so it comes when it is first opened. */
export function ExplorerView({
  info,
  session,
  isOpen,
}: {
  readonly info: PortalInfo
  readonly session: Session | undefined
  readonly isOpen: boolean
}) {
  const [wasOpened, setWasOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setWasOpened(true)
  return (
    <>
      <div class="view-head">
        <h1 id="explorer-heading" tabIndex={-1}>
          Query explorer
        </h1>
        <p>GraphQL against the protocol’s subgraph, through POST /data, as your code would ask it.</p>
      </div>
      {session ? (
        wasOpened && <LazyExplorer info={info} session={session} />
      ) : (
        <Notice tone="calm" title="A key is needed first">
          Queries go through the API. Give your key above.
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
        Check your connection and reload the page: the service may have been updated since you opened it.
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
