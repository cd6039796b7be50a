import type { ComponentChildren } from 'preact'

/** Renders names and values, in columns if there is room. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts grid">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="hint">{name}</dt>
          <dd class="anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
