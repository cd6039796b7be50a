import type { OpenapiDocument } from '@tallystick/core'
import MiniSearch, { type AsPlainObject, type Query, type SearchOptions, type SearchResult } from 'minisearch'
import { listReference } from './list-reference.ts'
import { type SearchEntry, searchOptions } from './search-entry.ts'

export type Hit = {
  readonly kind: string
  readonly title: string
  readonly heading: string
  readonly href: string
  /** Text around the first word that was found. Words that were found are marked. */
  readonly snippet: readonly { readonly text: string; readonly isFound: boolean }[]
}

/** Words of users, and ours for the same thing. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ testnet: 'sandbox', devnet: 'sandbox', staging: 'sandbox', faucet: 'sandbox', ci: 'sandbox' },
  ...{
    upgrade: 'upgrading',
    update: 'upgrading',
    migration: 'upgrading',
    rollback: 'upgrading',
    downgrade: 'upgrading',
  },
  ...{ rotate: 'rotation rotating changing', replace: 'rotation', renew: 'renewal' },
  ...{ k8s: 'kubernetes', helm: 'kubernetes', container: 'docker image', vm: 'machine' },
  ...{ throttle: 'limit', throttling: 'limit', quota: 'limit', '429': 'limited limits' },
  ...{ golang: 'go', py: 'python', python3: 'python', js: 'typescript', javascript: 'typescript', node: 'typescript' },
  ...{ apr: 'coupon rate', apy: 'coupon rate', yield: 'coupon income', interest: 'coupon income', price: 'coupon' },
  ...{ redeem: 'claim', withdraw: 'claim', deposit: 'lend', invest: 'lend', term: 'tenor', duration: 'tenor' },
  ...{ leak: 'leaked', compromised: 'leaked', stolen: 'leaked', hacked: 'leaked' },
  ...{ https: 'tls', ssl: 'tls', certificate: 'tls', hmac: 'signature', callback: 'webhook', hook: 'webhook' },
  ...{ websocket: 'stream events', sse: 'stream events', push: 'events webhook' },
  ...{ gnosis: 'safe', multisig: 'safe', '6pm': '18', midnight: 'boundary', deadline: 'boundary', early: 'earlier' },
  ...{ ha: 'replicas', failover: 'replicas', cluster: 'replicas', recovery: 'restore', dump: 'backup' },
  ...{
    monitoring: 'alerts metrics',
    grafana: 'metrics',
    apikey: 'key',
    token: 'key',
    typescript: 'sdk',
    react: 'hooks',
  },
}

const wordsMax = 12
// The search for similar words would need memory for the square of a longer one.
const lengthMax = 40
const hitsMax = 12
const hitsOfPageMax = 2

const weights: Readonly<Record<string, number>> = { Parameter: 0.5, Field: 0.4, Header: 0.5, Error: 1.2 }

const options: SearchOptions = {
  boost: { title: 3, heading: 4 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
  weights: { prefix: 0.6, fuzzy: 0.2 },
  boostDocument: (_, __, stored) => weights[String(stored?.['kind'])] ?? 1,
}

export type Search = (query: string) => readonly Hit[]

/** Creates the search over the index of the written pages and, if there is one, the document of this service. */
export function createSearch(index: AsPlainObject, document: OpenapiDocument | undefined): Search {
  const engine = MiniSearch.loadJS<SearchEntry>(index, searchOptions)
  if (document) engine.addAll(listReference(document))
  return (query) => {
    const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length <= lengthMax && searchOptions.processTerm?.(word))
      .slice(0, wordsMax)
    if (words.length === 0) return []
    const all = findAll(engine, { words, combineWith: 'AND' })
    return (all.length > 0 ? all : findAll(engine, { words, combineWith: 'OR' })).map(toHit)
  }
}

type Wanted = { readonly words: readonly string[]; readonly combineWith: 'AND' | 'OR' }

/** Returns the best places, of one page at most two. */
function findAll(engine: MiniSearch<SearchEntry>, { words, combineWith }: Wanted): readonly SearchResult[] {
  const queries = words.map((word): Query => ({ combineWith: 'OR', queries: [word, ...listSynonyms(word)] }))
  const counts = new Map<string, number>()
  const results = engine.search({ combineWith, queries }, options).filter(({ title }) => {
    const count = (counts.get(title) ?? 0) + 1
    counts.set(title, count)
    return count <= hitsOfPageMax
  })
  return results.slice(0, hitsMax)
}

/** Returns our words for a word of users: neither their beginnings nor similar words. */
function listSynonyms(word: string): readonly Query[] {
  const ours = Object.hasOwn(synonyms, word) ? (synonyms[word] as string) : ''
  return ours === '' ? [] : [{ queries: ours.split(/[ _]/), combineWith: 'OR', prefix: false, fuzzy: false }]
}

const snippetLength = 150

function toHit({ id, kind, title, heading, text, terms }: SearchResult): Hit {
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.map(escapePattern).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const first = Math.max(0, String(text).search(found))
  const start = first < snippetLength - 40 ? 0 : String(text).indexOf(' ', first - 60) + 1
  const cut = `${start > 0 ? '… ' : ''}${String(text)
    .slice(start, start + snippetLength)
    .trim()}${text.length > start + snippetLength ? ' …' : ''}`
  const [href = ''] = String(id).split(' ')
  return { kind, title, heading, href, snippet: mark(cut, found) }
}

function mark(text: string, found: RegExp): Hit['snippet'] {
  const ends = [...text.matchAll(found)]
  const plain = text.split(found)
  return plain.flatMap((part, index) => [
    { text: part, isFound: false },
    ...(ends[index] ? [{ text: ends[index][0], isFound: true }] : []),
  ])
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
