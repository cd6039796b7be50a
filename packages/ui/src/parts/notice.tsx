import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

const icons: Readonly<Record<Tone, IconName>> = { good: 'check', bad: 'cross', warn: 'alert', calm: 'clock' }

/** Renders a short message in a box. */
export function Notice({
  tone,
  title,
  children,
}: {
  readonly tone: Tone
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'bad' || tone === 'warn' ? 'alert' : 'status'}>
      <Icon name={icons[tone]} />
      <div>
        <strong>{title}</strong>
        {children ? <div class="notice-text">{children}</div> : null}
      </div>
    </div>
  )
}
