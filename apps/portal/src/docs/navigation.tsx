import { useMedia } from '@tallystick/ui'
import { useEffect, useRef } from 'preact/hooks'
import { hrefOf } from '../parts/place.ts'
import type { DocsPage, PageGroup } from './docs-pages.ts'

type NavigationProps = {
  readonly groups: readonly PageGroup[]
  readonly page: DocsPage | undefined
}

/** Renders the list of pages. On a phone it is folded, so that the content comes first. */
export function Navigation({ groups, page }: NavigationProps) {
  const isWide = useMedia('(min-width: 1041px)')
  const box = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (box.current) box.current.open = isWide
    // Not when the reference has loaded: the visitor may have opened it by then.
  }, [isWide, page?.segment])
  return (
    <details class="docs-nav" ref={box}>
      <summary>{page ? `Contents: ${page.title}` : 'Contents'}</summary>
      <nav aria-label="Documentation">
        {groups.map(({ title, pages }) => (
          <div key={title}>
            <p class="sub docs-nav-title bold" id={`docs-nav-${title}`}>
              {title}
            </p>
            <ul aria-labelledby={`docs-nav-${title}`}>
              {pages.map((one) => (
                <li key={one.segment}>
                  <a href={hrefOf('docs', one.segment)} aria-current={one === page ? 'page' : undefined}>
                    {one.name ?? one.title}
                  </a>
                  {one === page && one.parts.length > 0 ? <Parts parts={one.parts} /> : null}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </details>
  )
}

function Parts({ parts }: { readonly parts: DocsPage['parts'] }) {
  return (
    <ul class="docs-nav-parts">
      {parts.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  )
}
