import { shortHex } from '@tallystick/ui'

export const titles = {
  overview: 'Notes on offer',
  lend: 'Lend',
  history: 'History',
  wallet: 'Wallet',
  verify: 'Verify a note',
  explorer: 'Query explorer',
  docs: 'Docs',
} as const

export type View = keyof typeof titles

export const views = Object.keys(titles) as readonly View[]

/** What a URL of the page names. */
export type Place = {
  readonly view: View
  /** Owner of a wallet, or page of the documentation, decoded. It may be any text. */
  readonly segment?: string | undefined
  readonly search: URLSearchParams
}

/**
 * Returns the URL of a view. A segment is encoded.
 *
 * @example
 * hrefOf('wallet', 'name.eth') // '/wallet/name.eth'
 */
export function hrefOf(view: View, segment?: string): string {
  const path = view === 'overview' ? '/' : `/${view}`
  return segment === undefined ? path : `${path}/${encodeURIComponent(segment)}`
}

/** Returns the place that a URL names, or undefined if the page has no such view. */
export function parsePlace({ pathname, search }: Pick<URL, 'pathname' | 'search'>): Place | undefined {
  const [, name = '', ...segments] = pathname.split('/')
  const view = name === '' ? 'overview' : views.find((candidate) => candidate === name && candidate !== 'overview')
  const hasSegments = view === 'wallet' || view === 'docs'
  if (!view || segments.length > (hasSegments ? 1 : 0)) return undefined
  const segment = segments[0] ? decode(segments[0]) : undefined
  return { view, segment, search: new URLSearchParams(search) }
}

/**
 * Returns the URL that replaces a link of the time when views were in the fragment, or undefined if it is not such a link.
 *
 * @example
 * replaceOldLink('#/history?days=7') // '/history?days=7'
 */
export function replaceOldLink(hash: string): string | undefined {
  const [, path, search = ''] = /^#(\/(?:history|wallet|verify|explorer)?)(\?.*)?$/.exec(hash) ?? []
  return path === undefined ? undefined : `${path}${search}`
}

/**
 * Returns the title of the page at a place.
 *
 * @example
 * titleOf({ view: 'wallet', segment: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' }) // 'Wallet 0x529d…6781 · Tallystick'
 */
export function titleOf({ view, segment }: Pick<Place, 'view' | 'segment'>): string {
  return `${titleOfView(view, segment)} · Tallystick`
}

function titleOfView(view: View, segment: string | undefined): string {
  if (segment === undefined) return titles[view]
  // Anybody can make a link with any segment, so only addresses and names are shown.
  if (view === 'wallet' && isAddress(segment)) return `${titles.wallet} ${shortHex(segment)}`
  if (view === 'wallet' && isPlainName(segment)) return `${titles.wallet} ${segment}`
  if (view === 'docs' && /^[a-z][a-z0-9-]{0,40}$/.test(segment)) return `${sentence(segment)} · ${titles.docs}`
  return titles[view]
}

function isAddress(segment: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(segment)
}

function isPlainName(segment: string): boolean {
  return segment.length <= 60 && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(segment)
}

function sentence(slug: string): string {
  const words = slug.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
