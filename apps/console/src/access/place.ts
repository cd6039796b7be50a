/** What the URL shows: a view, the parts below it, and its filters. A reload and a bookmark lead back to it. */
export type Place = {
  readonly view: string
  /** Such as the id of a key. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/**
 * Parses the fragment of a URL.
 *
 * @example
 * parsePlace('#keys/key_1') // { view: 'keys', path: ['key_1'], query: {} }
 */
export function parsePlace(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const [view = '', ...rest] = path.split('/').map(decode)
  return { view, path: rest.filter((part) => part !== ''), query: Object.fromEntries(new URLSearchParams(search)) }
}

/**
 * Formats the fragment of a URL. Empty filters are left out.
 *
 * @example
 * formatPlace('audit', { query: { by: 'alice', action: '' } }) // '#audit?by=alice'
 */
export function formatPlace(view: string, { path = [], query = {} }: Partial<Omit<Place, 'view'>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return `#${[view, ...path].map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`
}

/** A URL that was typed may be malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
