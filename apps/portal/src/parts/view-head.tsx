import type { ComponentChildren } from 'preact'
import { titles, type View } from './place.ts'

type ViewHeadProps = { readonly view: View; readonly children: ComponentChildren }

/** Renders the heading of a view, which takes the focus when the view opens, and what the view is for. */
export function ViewHead({ view, children }: ViewHeadProps) {
  return (
    <div class="view-head">
      <h1 id={`${view}-heading`} tabIndex={-1}>
        {titles[view]}
      </h1>
      <p>{children}</p>
    </div>
  )
}
