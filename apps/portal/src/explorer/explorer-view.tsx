import { Loading, Notice, useLoaded } from '@tallystick/ui'
import type { PageState } from '../data/page-state.ts'
import { ViewHead } from '../parts/view-head.tsx'

type ExplorerViewProps = Pick<PageState, 'info' | 'session'> & { readonly isOpen: boolean }

/** Renders the query explorer. Its editor is larger than the rest of the page, so it loads when first opened. */
export function ExplorerView({ info, session, isOpen }: ExplorerViewProps) {
  const isNeeded = isOpen && session !== undefined
  const { value: Component, error } = useLoaded(isNeeded, async () => (await import('./explorer.tsx')).Explorer)
  return (
    <>
      <ViewHead view="explorer">
        Query the protocol’s subgraph with GraphQL. Requests go to POST /data, as your code would send them.
      </ViewHead>
      {!session ? (
        <Notice tone="calm" title="API key required" text="Queries use the API. Enter your key above." />
      ) : Component ? (
        <Component info={info} session={session} />
      ) : error !== undefined ? (
        <Notice tone="bad" title="The explorer could not be loaded">
          Check your connection and reload the page. The service may have been updated since you opened it.
        </Notice>
      ) : (
        isOpen && <Loading class="card" text="Loading the explorer…" height="24rem" />
      )}
    </>
  )
}
