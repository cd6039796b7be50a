import { createHash } from 'node:crypto'
import type { AnalysedQuery } from '@tallystick/gateway'
import { refusal } from '@tallystick/http'
import { LRUCache } from 'lru-cache'
import { malformed, type PersistedQuery } from './graphql-request.ts'

/** Analyses the text of a query. Throws `persisted_query_not_found` if only an unknown hash was sent. */
export type AnalysePersisted = (query: PersistedQuery) => AnalysedQuery

// As many as the analysis remembers.
const textsMax = 2_000
const textBytesMax = 4 * 1024 * 1024

/**
 * Creates the function that implements automatic persisted queries (Apollo's protocol): a client sends the hash alone,
 * and the text with it only if the service does not know the hash. Only texts within the limits of a query are
 * remembered, in this replica's memory.
 */
export function createAnalysePersisted(analyse: (text: string) => AnalysedQuery): AnalysePersisted {
  const texts = new LRUCache<string, string>({
    max: textsMax,
    maxSize: textBytesMax,
    sizeCalculation: (text) => Math.max(1, text.length),
  })
  return ({ query, sha256Hash }) => {
    if (sha256Hash === undefined) return analyse(query ?? '')
    if (query === undefined) {
      const text = texts.get(sha256Hash)
      // Clients recognise exactly this text.
      if (text === undefined) throw refusal('persisted_query_not_found', 'PersistedQueryNotFound')
      return analyse(text)
    }
    if (hashOf(query) !== sha256Hash) throw malformed(mismatch)
    const analysed = analyse(query)
    texts.set(sha256Hash, query)
    return analysed
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const mismatch = '"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query", as 64 lower-case hex digits.'
