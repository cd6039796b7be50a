import { useLoaded } from '@tallystick/ui'
import type { PageConnector } from '../connect/connector.ts'
import { useSearchOf } from '../parts/router.ts'
import { ViewHead } from '../parts/view-head.tsx'
import { LazyNotice } from '../reach/lazy-notice.tsx'
import { loadChunk } from '../reach/load-chunk.ts'
import type { LendPageProps } from './lend-page.tsx'

/** Renders the form to lend with. Its code, which contains viem, loads when the view opens. */
export function LendView(props: Omit<LendPageProps, 'search'> & { readonly connector: PageConnector }) {
  const search = useSearchOf('lend')
  const { value, error } = useLoaded(props.isOpen, async (signal) => {
    const page = await loadChunk('lend-page', () => import('./lend-page.tsx'), signal)
    // The form begins with the wallets to choose from.
    await props.connector.ready
    return page
  })
  const Component = value?.LendPage
  return (
    <>
      <ViewHead view="lend">Lend dollars to the pool for a fixed time, and get them back with interest.</ViewHead>
      {Component ? (
        <Component {...props} search={search} />
      ) : (
        props.isOpen && <LazyNotice error={error} class="card" height="16rem" />
      )}
    </>
  )
}
