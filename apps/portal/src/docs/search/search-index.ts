import type { OpenapiDocument } from '@tallystick/core'
import { flattenFields } from '../openapi/flatten-fields.ts'
import { type Endpoint, listAllFailures, listEndpoints } from '../openapi/openapi.ts'
import { parseMarkdown, plainText, slug } from '../text/parse-markdown.ts'
import type { Guide } from '../text/read-guide.ts'

export type SearchEntry = {
  readonly kind: 'Guide' | 'Endpoint' | 'Parameter' | 'Field' | 'Header' | 'Error' | 'Basics'
  readonly title: string
  /** Where it is, and what it means. */
  readonly text: string
  readonly href: string
}

/** Lists everything that can be searched for: headings, endpoints, parameters, fields, headers and error codes. */
export function buildSearchIndex(
  guides: readonly Guide[],
  document: OpenapiDocument | undefined,
): readonly SearchEntry[] {
  const entries = guides.flatMap(listHeadings)
  if (!document) return entries
  const basics = parseMarkdown(document.info.description).flatMap((block): readonly SearchEntry[] =>
    block.kind === 'heading' ? [{ kind: 'Basics', title: block.text, text: '', href: `/docs/basics#${block.id}` }] : [],
  )
  const failures = listAllFailures(document).map(
    ({ code, status, meaning }): SearchEntry => ({
      kind: 'Error',
      title: code,
      text: `${status}. ${plainText(meaning)}`,
      href: `/docs/errors#error-${code}`,
    }),
  )
  const endpoints = listEndpoints(document).flatMap((endpoint) => listParts(document, endpoint))
  return [...entries, ...basics, ...endpoints, ...failures]
}

/** Finds the best entries for a query. Every word of it must occur. */
export function search(entries: readonly SearchEntry[], query: string, limit = 12): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ entry }) => entry)
}

const wordsMax = 8
// Where two entries match equally well, the more general one comes first.
const weights = { Guide: 5, Endpoint: 6, Basics: 4, Error: 4, Parameter: 2, Field: 1, Header: 3 } as const

function scoreOf({ kind, title, text }: SearchEntry, words: readonly string[]): number {
  const scores = words.map(
    (word) => scoreWord(title.toLowerCase(), word) || (text.toLowerCase().includes(word) ? 5 : 0),
  )
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, weights[kind])
}

function scoreWord(title: string, word: string): number {
  if (title === word) return 100
  const index = title.indexOf(word)
  if (index < 0) return 0
  const before = title[index - 1] ?? ' '
  return /[a-z0-9]/.test(before) ? 20 : index === 0 ? 60 : 50
}

function listHeadings({ segment, title, summary, markdown }: Guide): readonly SearchEntry[] {
  const headings = parseMarkdown(markdown).filter((block) => block.kind === 'heading')
  return headings.map(({ level, text, id }) => ({
    kind: 'Guide',
    title: plainText(text),
    text: level === 1 ? plainText(summary) : title,
    href: level === 1 ? `/docs/${segment}` : `/docs/${segment}#${id}`,
  }))
}

type Part = Pick<SearchEntry, 'kind' | 'title'> & { readonly description: string | undefined }

function listParts(document: OpenapiDocument, { method, path, operation }: Endpoint): readonly SearchEntry[] {
  const { schemas, headers } = document.components
  const { operationId: id, summary, responses } = operation
  const name = `${method} ${path}`
  const page = `/docs/${slug(operation.tags[0] ?? '')}`
  const part = ({ kind, title, description = '' }: Part) => ({
    kind,
    title,
    text: `${name}. ${plainText(description)}`,
    href: `${page}#${id}-${kind === 'Parameter' ? 'parameters' : '200'}`,
  })
  const success = responses['200']
  const fields = Object.values(success?.content ?? {}).flatMap(({ schema }) => flattenFields(schemas, { schema }))
  return [
    { kind: 'Endpoint', title: name, text: plainText(summary), href: `${page}#${id}` },
    ...(operation.parameters ?? []).map(({ name: title, description }) =>
      part({ kind: 'Parameter', title, description }),
    ),
    ...fields.map(({ path: title, schema }) => part({ kind: 'Field', title, description: schema.description })),
    ...Object.keys(success?.headers ?? {}).map((title) =>
      part({ kind: 'Header', title, description: headers[title]?.description }),
    ),
  ]
}
