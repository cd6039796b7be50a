import type { Whoami } from '@tallystick/core'
import { Icon, Mark, ThemeButton } from '@tallystick/ui'
import type { ViewName } from './access/access.ts'

type ConsoleBarProps = {
  readonly views: readonly { readonly name: ViewName; readonly title: string }[]
  readonly current: ViewName
  readonly whoami: Whoami
  readonly onLeave: () => void
}

export function ConsoleBar({ views, current, whoami, onLeave }: ConsoleBarProps) {
  return (
    <header class="top-bar">
      <a class="brand" href="#status" aria-label="Tallystick console, status">
        <Mark />
        <span>
          Tallystick <span class="brand-part">console</span>
        </span>
      </a>
      <nav aria-label="Views">
        {views.map(({ name, title }) => (
          <a key={name} href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="top-tools">
        <button type="button" class="tool" onClick={onLeave} title={`Roles: ${whoami.roles.join(', ')}`}>
          <Icon name="key" />
          <span class="sr-only-narrow">{whoami.name}</span>
          <span class="sr-only">, forget the token</span>
        </button>
        <ThemeButton />
      </div>
    </header>
  )
}
