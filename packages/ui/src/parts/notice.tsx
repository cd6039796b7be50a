import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'calm'

/** Icons that stand for the tones. */
export const toneIcons: Readonly<Record<Tone, IconName>> = { good: 'check', bad: 'cross', warn: 'alert', calm: 'clock' }

type NoticeProps = {
  readonly tone: Tone
  readonly title: string
  /** What `children` would be, if it is a plain text. */
  readonly text?: string | undefined
  readonly children?: ComponentChildren
}

/** Renders a short message in a box. */
export function Notice({ tone, title, text, children = text }: NoticeProps) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'bad' || tone === 'warn' ? 'alert' : 'status'}>
      <Icon name={toneIcons[tone]} />
      <div>
        <strong>{title}</strong>
        {children ? <div class="soft anywhere">{children}</div> : null}
      </div>
    </div>
  )
}

/** Renders a status in one or two words. The coloured dot is decorative. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`pill tone-${tone}`}>
      <span class="pill-dot" aria-hidden="true" />
      {children}
    </span>
  )
}
