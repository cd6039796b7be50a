import type { OpenapiDocument } from '@tallystick/core'
import { listTagEndpoints } from './openapi/openapi.ts'
import { parseMarkdown, plainText, slug } from './text/parse-markdown.ts'
import type { Guide } from './text/read-guide.ts'

export type DocsPage = {
  /** Undefined for the first page, `/docs`. */
  readonly segment: string | undefined
  readonly title: string
  /** Name in lists of pages, if it is not the title. */
  readonly name?: string | undefined
  /** Markdown. */
  readonly summary: string
  readonly content:
    | { readonly kind: 'start' }
    | { readonly kind: 'guide'; readonly guide: Guide }
    | { readonly kind: 'basics' }
    | { readonly kind: 'errors' }
    | { readonly kind: 'tag'; readonly tag: string }
  /** Places on the page that the navigation shows. */
  readonly parts: readonly { readonly id: string; readonly title: string }[]
}

export type PageGroup = { readonly title: string; readonly pages: readonly DocsPage[] }

/** Lists the pages: guides before the reference. Without a document there are no pages of the reference yet. */
export function listPages(guides: readonly Guide[], document: OpenapiDocument | undefined): readonly PageGroup[] {
  const start: DocsPage = {
    segment: undefined,
    title: 'Documentation',
    name: 'Overview',
    summary: 'Integrate signed treasury notes: a guide for each task, then every endpoint, field and error.',
    content: { kind: 'start' },
    parts: [],
  }
  const guidePages = guides.map(
    (guide): DocsPage => ({
      segment: guide.segment,
      title: guide.title,
      summary: guide.summary,
      content: { kind: 'guide', guide },
      parts: listHeadings(guide.markdown),
    }),
  )
  const groups = [{ title: 'Guides', pages: [start, ...guidePages] }]
  return document ? [...groups, { title: 'Reference', pages: listReference(document) }] : groups
}

export function findPage(groups: readonly PageGroup[], segment: string | undefined): DocsPage | undefined {
  return groups.flatMap(({ pages }) => pages).find((page) => page.segment === segment)
}

function listReference(document: OpenapiDocument): readonly DocsPage[] {
  const tags = document.tags
    .map(({ name, description }) => ({ name, description, endpoints: listTagEndpoints(document, name) }))
    .filter(({ endpoints }) => endpoints.length > 0)
  return [
    {
      segment: 'basics',
      title: 'Basics',
      summary: 'What all endpoints have in common: keys, numbers, limits and failures.',
      content: { kind: 'basics' },
      parts: listHeadings(document.info.description),
    },
    ...tags.map(
      ({ name, description, endpoints }): DocsPage => ({
        segment: slug(name),
        title: name,
        summary: description,
        content: { kind: 'tag', tag: name },
        parts: endpoints.map(({ method, path, operation }) => ({
          id: operation.operationId,
          title: `${method} ${path}`,
        })),
      }),
    ),
    {
      segment: 'errors',
      title: 'Errors',
      summary: 'Every error code of the API, its cause and what to do. Programs should read `code`, people `message`.',
      content: { kind: 'errors' },
      parts: [],
    },
  ]
}

function listHeadings(markdown: string): DocsPage['parts'] {
  return parseMarkdown(markdown)
    .filter((block) => block.kind === 'heading')
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => ({ id, title: plainText(text) }))
}
