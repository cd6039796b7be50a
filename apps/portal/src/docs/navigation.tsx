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
        {groups.map((group) => (
          <Group key={group.title} group={group} page={page} />
        ))}
      </nav>
    </details>
  )
}

type GroupProps = { readonly group: PageGroup; readonly page: DocsPage | undefined }

/** Renders the pages of a group. The group of the open page is open. */
function Group({ group: { title, pages }, page }: GroupProps) {
  return (
    <details class="docs-nav-group" open={pages.some((one) => one === page)}>
      <summary class="sub bold">{title}</summary>
      <ul aria-label={title}>
        {pages.map((one) => (
          <li key={one.segment}>
            <a href={hrefOf('docs', one.segment)} aria-current={one === page ? 'page' : undefined}>
              {one.name ?? one.title}
            </a>
            {one === page && one.headings.length > 0 ? <Headings headings={one.headings} /> : null}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Headings({ headings }: Pick<DocsPage, 'headings'>) {
  return (
    <ul class="docs-nav-parts">
      {headings.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  )
}
