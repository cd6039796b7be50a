import type { ApiRequest } from '../docs/requests/request.ts'
import { reformatJson } from '../json/reformat-json.ts'

/** What the visitor has entered. */
export type Draft = {
  readonly query: string
  /** JSON text. */
  readonly variables: string
  readonly chains: readonly number[]
  /** Operation to run if the query has several. */
  readonly operationName?: string | undefined
  /** Whether a query of one chain goes to `/data/<chainid>`, where standard GraphQL clients work. */
  readonly isPlain?: boolean | undefined
}

/** Returns the request of a draft, or what is wrong with the draft. */
export function formRequest(
  draft: Draft,
): { readonly request: ApiRequest; readonly fault?: undefined } | { readonly fault: string } {
  const { query, chains, operationName } = draft
  const variables = parseVariables(draft.variables)
  if (!variables) return { fault: 'The variables are not a JSON object. Write { "name": "value" }, or {} for none.' }
  if (query.trim() === '') return { fault: 'The query is empty.' }
  const [first] = chains
  if (first === undefined) return { fault: 'Choose at least one chain.' }
  const isPlain = isPlainDraft(draft)
  if (!isPlain && Object.hasOwn(variables, 'chains'))
    return { fault: 'Choose the chains above, and remove "chains" from the variables.' }
  const members = [
    `"query":${JSON.stringify(query)}`,
    `"variables":${formatVariables(draft.variables, isPlain ? undefined : chains)}`,
    ...(operationName === undefined ? [] : [`"operationName":${JSON.stringify(operationName)}`]),
  ]
  return {
    request: {
      method: 'POST',
      path: isPlain ? `/data/${first}` : '/data',
      headers: ['accept', 'content-type'].map((name) => [name, 'application/json']),
      body: `{${members.join(',')}}`,
      needsKey: true,
      isStream: false,
      isJson: true,
    },
  }
}

/** Returns the variables as they were written, with the chains added. */
function formatVariables(text: string, chains: readonly number[] | undefined): string {
  const members = reformatJson(text.trim() === '' ? '{}' : text).slice(1, -1)
  const added = chains === undefined ? '' : `"chains":${JSON.stringify(chains)}`
  return `{${[members, added].filter((part) => part !== '').join(',')}}`
}

/** Returns whether a draft goes to the endpoint of one chain. */
export function isPlainDraft({ chains, isPlain = false }: Draft): boolean {
  return isPlain && chains.length === 1
}

/** Returns the variables, or undefined if the text is not a JSON object. An empty text has none. */
export function parseVariables(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Returns whether a draft contains an API key. It is then neither stored nor part of a link. */
export function hasSecret({ query, variables }: Pick<Draft, 'query' | 'variables'>): boolean {
  return /tsk_(live|test)_/.test(query + variables)
}
