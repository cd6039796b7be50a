import type { OpenapiDocument } from '@tallystick/core'
import { listTagEndpoints } from './openapi/openapi.ts'
import { escapeHtml } from './text/escape-html.ts'
import type { Part } from './text/part.ts'
import { slug } from './text/slug.ts'

type Heading = { readonly id: string; readonly title: string }

export type DocsPage = {
  /** Undefined for the first page, `/docs`. */
  readonly segment: string | undefined
  readonly title: string
  /** Name in lists of pages, if it is not the title. */
  readonly name?: string | undefined
  /** HTML. */
  readonly summary: string
  readonly content:
    | { readonly kind: 'start' }
    | { readonly kind: 'written'; readonly load: () => Promise<{ readonly parts: readonly Part[] }> }
    /** Without a tag: what all endpoints have in common. */
    | { readonly kind: 'reference'; readonly tag?: string }
  /** Places on the page that the navigation shows. */
  readonly headings: readonly Heading[]
}

export type PageGroup = { readonly title: string; readonly pages: readonly DocsPage[] }

type WrittenGroup = {
  readonly title: string
  readonly pages: readonly (Omit<DocsPage, 'segment' | 'content'> & {
    readonly segment: string
    readonly load: () => Promise<{ readonly parts: readonly Part[] }>
  })[]
}

/** Lists the pages. Without a document the pages of its endpoints are missing. */
export function listPages(
  written: readonly WrittenGroup[],
  document: OpenapiDocument | undefined,
): readonly PageGroup[] {
  const start: DocsPage = {
    segment: undefined,
    title: 'Documentation',
    name: 'Overview',
    summary:
      'Integrate signed treasury notes, or run the service that signs them: guides, operation and every endpoint.',
    content: { kind: 'start' },
    headings: [],
  }
  return written.map(({ title, pages }) => {
    const toPage = ({ load, ...page }: (typeof pages)[number]): DocsPage => ({
      ...page,
      content: { kind: 'written', load },
    })
    const before = title === 'Start' ? [start] : title === 'Reference' && document ? listReference(document) : []
    return { title, pages: [...before, ...pages.map(toPage)] }
  })
}

export function findPage(groups: readonly PageGroup[], segment: string | undefined): DocsPage | undefined {
  return groups.flatMap(({ pages }) => pages).find((page) => page.segment === segment)
}

function listReference(document: OpenapiDocument): readonly DocsPage[] {
  const tags = document.tags
    .map(({ name, description }) => ({ name, description, endpoints: listTagEndpoints(document, name) }))
    .filter(({ endpoints }) => endpoints.length > 0)
  const titles = [...document.info.description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  return [
    {
      segment: 'basics',
      title: 'Basics',
      summary: 'What all endpoints have in common: keys, numbers, limits and failures.',
      content: { kind: 'reference' },
      headings: titles.map((title) => ({ id: slug(title), title })),
    },
    ...tags.map(
      ({ name, description, endpoints }): DocsPage => ({
        segment: slug(name),
        title: name,
        summary: escapeHtml(description.replaceAll('`', '')),
        content: { kind: 'reference', tag: name },
        headings: endpoints.map(({ method, path, operation }) => ({
          id: operation.operationId,
          title: `${method} ${path}`,
        })),
      }),
    ),
  ]
}
