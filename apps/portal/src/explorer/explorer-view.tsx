import { Button, Notice, useLoaded } from '@tallystick/ui'
import type { PageState } from '../data/page-state.ts'
import type { KeySession } from '../data/session.ts'
import { ViewHead } from '../parts/view-head.tsx'
import { LazyNotice } from '../reach/lazy-notice.tsx'
import { loadChunk } from '../reach/load-chunk.ts'

type ExplorerViewProps = Pick<PageState, 'info'> & {
  readonly session: KeySession | undefined
  readonly isVisitor: boolean
  readonly isOpen: boolean
  readonly enterKey: () => void
}

/** Renders the query explorer. Its editor is larger than the rest of the page, so it loads when first opened. */
export function ExplorerView({ info, session, isVisitor, isOpen, enterKey }: ExplorerViewProps) {
  const isNeeded = isOpen && session !== undefined
  const { value, error } = useLoaded(isNeeded, (signal) =>
    loadChunk('explorer', () => import('./explorer.tsx'), signal),
  )
  const Component = value?.Explorer
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
      ) : (
        isOpen && <LazyNotice error={error} class="card" height="24rem" />
      )}
    </>
  )
}
