import type { ComponentChildren } from 'preact'
import type { Tone } from './notice.tsx'

/** A state in a word or two. The dot only repeats what the word says. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`pill pill-${tone}`}>
      <span class="pill-dot" aria-hidden="true" />
      {children}
    </span>
  )
}
