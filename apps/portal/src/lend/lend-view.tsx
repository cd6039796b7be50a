import { Notice, Skeleton } from '@tallystick/ui'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from '../parts/router.ts'
import type { LendPageProps } from './lend-page.tsx'

type State = { readonly Page?: ComponentType<LendPageProps>; readonly hasFailed?: boolean }

/** Renders the form to lend with. Its code, which contains viem, loads when the view opens. */
export function LendView(props: Omit<LendPageProps, 'search'>) {
  const { search } = useLocation()
  // The query of another view says nothing about this one.
  const last = useRef(search)
  if (props.isOpen) last.current = search
  const [{ Page, hasFailed }, setState] = useState<State>({})
  useEffect(() => {
    if (!props.isOpen || Page) return
    import('./lend-page.tsx').then(
      ({ LendPage }) => setState({ Page: LendPage }),
      () => setState({ hasFailed: true }),
    )
  }, [props.isOpen, Page])
  return (
    <>
      <div class="view-head">
        <h1 id="lend-heading" tabIndex={-1}>
          Lend
        </h1>
        <p>Lend dollars to the pool for a fixed time, and get them back with interest.</p>
      </div>
      {Page ? (
        <Page {...props} search={last.current} />
      ) : hasFailed ? (
        <Notice tone="bad" title="The form cannot be loaded">
          Reload the page. If the service was updated while the page was open, this is necessary once.
        </Notice>
      ) : (
        <div class="card" role="status">
          <span class="sr-only">Loading…</span>
          <Skeleton height="16rem" />
        </div>
      )}
    </>
  )
}
