import type { OpenapiDocument } from '@tallystick/core'
import { flattenFields } from '../openapi/flatten-fields.ts'
import { type Endpoint, listEndpoints } from '../openapi/openapi.ts'
import { slug } from '../text/slug.ts'
import type { SearchEntry } from './search-entry.ts'

/** Lists what the search finds in the document of this service: endpoints, parameters, fields and headers. */
export function listReference(document: OpenapiDocument): readonly SearchEntry[] {
  const basics = document.info.description.split(/^## /m).slice(1)
  return [
    ...basics.map((section) => {
      const [heading = '', ...text] = section.split('\n')
      const id = `/docs/basics#${slug(heading)}`
      return { kind: 'Reference', title: 'Basics', heading, text: plain(text.join(' ')), id }
    }),
    ...listEndpoints(document).flatMap((endpoint) => listParts(document, endpoint)),
  ]
}

type Described = { readonly name: string; readonly description: string | undefined }

function listParts(document: OpenapiDocument, { method, path, operation }: Endpoint): readonly SearchEntry[] {
  const { schemas, headers } = document.components
  const { operationId, summary, description, responses, tags } = operation
  const title = `${method} ${path}`
  const page = `/docs/${slug(tags[0] ?? '')}#${operationId}`
  const toEntry = (kind: string, { name, description: text = '' }: Described) => ({
    ...{ kind, title, heading: name, text: plain(text) },
    id: `${page}-${kind === 'Parameter' ? 'parameters' : '200'} ${name}`,
  })
  const success = responses['200']
  const fields = Object.values(success?.content ?? {}).flatMap(({ schema }) => flattenFields(schemas, { schema }))
  const entries = [
    { kind: 'Endpoint', title, heading: summary, text: plain(description), id: page },
    ...(operation.parameters ?? []).map((parameter) => toEntry('Parameter', parameter)),
    ...fields.map(({ path: name, schema }) => toEntry('Field', { name, description: schema.description })),
    ...Object.keys(success?.headers ?? {}).map((name) =>
      toEntry('Header', { name, description: headers[name]?.description }),
    ),
  ]
  // A response may have the same field in two media types.
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

/** Removes the marks of Markdown that a search result would show. */
function plain(markdown: string): string {
  return markdown.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}
