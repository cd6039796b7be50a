import { Loading, Notice, useLoaded } from '@tallystick/ui'
import { useRef } from 'preact/hooks'
import { useLocation } from '../parts/router.ts'
import { ViewHead } from '../parts/view-head.tsx'
import type { LendPageProps } from './lend-page.tsx'

/** Renders the form to lend with. Its code, which contains viem, loads when the view opens. */
export function LendView(props: Omit<LendPageProps, 'search'>) {
  const { search } = useLocation()
  // The query of another view says nothing about this one.
  const last = useRef(search)
  if (props.isOpen) last.current = search
  const { value: Component, error } = useLoaded(props.isOpen, async () => (await import('./lend-page.tsx')).LendPage)
  return (
    <>
      <ViewHead view="lend">Lend dollars to the pool for a fixed time, and get them back with interest.</ViewHead>
      {Component ? (
        <Component {...props} search={last.current} />
      ) : error !== undefined ? (
        <Notice tone="bad" title="The form cannot be loaded">
          Reload the page. If the service was updated while the page was open, this is necessary once.
        </Notice>
      ) : (
        <Loading class="card" text="Loading…" height="16rem" />
      )}
    </>
  )
}
