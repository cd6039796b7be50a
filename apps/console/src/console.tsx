import type { Whoami } from '@tallystick/core'
import { Button, Icon, Mark, ThemeButton, useSubscribed } from '@tallystick/ui'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { accessOf, type ViewName, viewNames } from './access/access.ts'
import { parsePlace } from './access/place.ts'
import type { Session } from './access/session.ts'
import { TokenForm } from './access/token-form.tsx'
import { useIdle } from './access/use-idle.ts'
import { type AdminError, createAdminApi } from './api/admin-api.ts'
import { capitalize } from './parts/format.ts'
import { titleOf, View } from './view.tsx'

/** Renders the console, or the form for the token that it needs. The token is in memory only. */
export function Console() {
  const [session, setSession] = useState<Session>()
  const [reason, setReason] = useState<string>()
  const leave = useCallback((why?: string) => {
    setSession(undefined)
    setReason(why)
  }, [])
  useIdle(session !== undefined, () => leave('The token was forgotten after 30 minutes without input.'))
  const enter = async (token: string) => {
    const api = createAdminApi(token, (error: AdminError) => leave(error.message))
    const whoami = await api.get<Whoami>('/whoami')
    setReason(undefined)
    setSession({ api, whoami })
  }
  if (!session) return <TokenForm reason={reason} onSubmit={enter} />
  return <Views {...session} onLeave={() => leave()} />
}

function Views({ api, whoami, onLeave }: Session & { readonly onLeave: () => void }) {
  const views = viewNames
    .map((name) => ({ name, title: capitalize(name), access: accessOf(name, whoami.roles) }))
    .filter(({ access }) => access !== 'none')
  const place = parsePlace(useSubscribed(readHash, subscribe))
  const view = views.find(({ name }) => name === place.view) ?? (views[0] as (typeof views)[number])
  const title = titleOf(view.name, place)
  // A filter leaves the focus where it is.
  const page = [view.name, ...place.path].join('/')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tallystick console`
    heading.current?.focus()
    scrollTo(0, 0)
  }, [page, title])
  return (
    <>
      <Button class="skip" label="Skip to content" onClick={() => document.getElementById('main')?.focus()} />
      <ConsoleBar views={views} current={view.name} whoami={whoami} onLeave={onLeave} />
      <main id="main" tabIndex={-1}>
        <div class="view-head">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {view.access === 'read' && view.name !== 'status' && view.name !== 'audit' ? (
            <p>The token “{whoami.name}” may read this, but not change it.</p>
          ) : null}
        </div>
        <View key={page} {...{ api, whoami, place }} name={view.name} access={view.access} />
      </main>
      <footer class="hint console-foot full">
        Times are New York time. Everything here can also be done with the command line.
      </footer>
    </>
  )
}

/** Returns what names the view in the URL, such as `#keys`. */
function readHash(): string {
  return location.hash
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

type ConsoleBarProps = {
  readonly views: readonly { readonly name: ViewName; readonly title: string }[]
  readonly current: ViewName
  readonly whoami: Whoami
  readonly onLeave: () => void
}

function ConsoleBar({ views, current, whoami, onLeave }: ConsoleBarProps) {
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
      <div class="top-tools flex middle end">
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
