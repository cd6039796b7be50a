import { Button, Loading, Notice, useLoaded } from '@tallystick/ui'
import type { PageState } from '../data/page-state.ts'
import type { KeySession } from '../data/session.ts'
import { ViewHead } from '../parts/view-head.tsx'

type ExplorerViewProps = Pick<PageState, 'info'> & {
  readonly session: KeySession | undefined
  readonly isVisitor: boolean
  readonly isOpen: boolean
  readonly enterKey: () => void
}

/** Renders the query explorer. Its editor is larger than the rest of the page, so it loads when first opened. */
export function ExplorerView({ info, session, isVisitor, isOpen, enterKey }: ExplorerViewProps) {
  const isNeeded = isOpen && session !== undefined
  const { value: Component, error } = useLoaded(isNeeded, async () => (await import('./explorer.tsx')).Explorer)
  return (
    <>
      <ViewHead view="explorer">
        Query the protocol’s subgraph with GraphQL. Requests go to POST /data, as your code would send them.
      </ViewHead>
      {!session && isVisitor ? (
        <Notice tone="calm" title="The explorer needs an API key">
          It sends requests as your own code would. The other views work without a key.{' '}
          <Button class="quiet small" label="Enter a key" onClick={enterKey} />
        </Notice>
      ) : !session ? (
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
