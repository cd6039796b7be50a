import type { ComponentChildren } from 'preact'
import type { Tone } from './notice.tsx'

/** Renders a status in one or two words. The coloured dot is decorative. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`pill tone-${tone}`}>
      <span class="pill-dot" aria-hidden="true" />
      {children}
    </span>
  )
}
