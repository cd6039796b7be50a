import { type Draft, hasSecret } from './draft.ts'

// Proxies accept URLs of 8,000 characters.
const lengthMax = 7_000

type LinkedDraft = Pick<Draft, 'query' | 'variables' | 'chains'>

/**
 * Parses the parameters of a link such as `/explorer?query=…&variables=…&chains=324,8453`. Anybody can make a link, so its
 * texts are only shown, and run when the visitor asks for it. Returns no draft if the link names no query.
 */
export function parseExplorerLink(
  search: URLSearchParams,
  chainIds: readonly number[],
): { readonly draft?: LinkedDraft; readonly fault?: string } {
  const [query, variables, chains] = ['query', 'variables', 'chains'].map((name) => search.get(name))
  if (query === null || query === undefined) return {}
  const named = (chains ?? '').split(',').filter((text) => text !== '')
  const known = chainIds.filter((id) => named.includes(String(id)))
  const draft = { query, variables: variables ?? '{}', chains: named.length === 0 ? chainIds : known }
  if (formatExplorerLink(draft) === undefined)
    return { fault: 'The query in the link is too long, or has a key in it.' }
  const hasUnknown = named.some((text) => !chainIds.some((id) => String(id) === text))
  return hasUnknown ? { draft, fault: 'The link names a chain that this service cannot query.' } : { draft }
}

/** Returns the link to a draft, or undefined if it is too long or contains a key. */
export function formatExplorerLink(draft: LinkedDraft): string | undefined {
  if (hasSecret(draft)) return undefined
  const { query, variables, chains } = draft
  const search = new URLSearchParams({ query, variables, chains: chains.join(',') })
  // Commas need no encoding, and the link is read by people.
  const href = `/explorer?${search.toString().replaceAll('%2C', ',')}`
  return href.length > lengthMax ? undefined : href
}
