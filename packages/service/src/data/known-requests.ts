import type { IncomingMessage } from 'node:http'
import type { PreparedQuery, SubgraphAnswer } from '@tallystick/gateway'
import type { FastAnswer } from '@tallystick/http'
import { LRUCache } from 'lru-cache'

/** The request that a body stands for. */
export type KnownRequest = {
  readonly chains: readonly number[]
  /** Key of the query in the cache of answers. */
  readonly key: PreparedQuery['key']
  /** The last answer made for this body. */
  readonly ready: ReadyAnswer | undefined
}

/** An answer that is right for one second, while the chains have the same answers in memory. */
type ReadyAnswer = {
  readonly second: number
  readonly answers: readonly SubgraphAnswer[]
  readonly answer: FastAnswer
}

export type KnownRequests = {
  /** Finds a request by the exact bytes of its body, one character per byte. */
  find(body: string): KnownRequest | undefined
  /** Notes the body of a request that the framework is about to read. */
  expect(request: IncomingMessage, body: string): void
  /** Remembers a noted body that the framework has accepted. Without a noted body it does nothing. */
  accept(
    request: IncomingMessage,
    accepted: { readonly chains: readonly number[]; readonly query: PreparedQuery },
  ): void
  /** Remembers an answer. */
  keep(body: string, known: KnownRequest, ready: ReadyAnswer): void
  readonly count: number
  readonly bytes: number
}

// A member of the request: a WeakMap would have one more entry per uncached query until the next large collection.
const notedBody = Symbol('body')
type Noted = IncomingMessage & { [notedBody]?: string }

// One client sends one or two bodies per wallet, each of about 5 KB with its answer.
const countMax = 4_000
const bytesMax = 16 * 1024 * 1024
// Approximate size of the objects, and of the head of an answer.
const entryBytes = 500
const readyBytes = 2_000

/**
 * Remembers which request a body stands for, so that the same bytes need not be parsed, validated and analysed again.
 * Only bodies that the framework has accepted are remembered: every rule stays there. Bounded in number and in bytes.
 */
export function createKnownRequests(): KnownRequests {
  const known = new LRUCache<string, KnownRequest>({ max: countMax, maxSize: bytesMax })
  return {
    find: (body) => known.get(body),
    expect: (request: Noted, body) => {
      request[notedBody] = body
    },
    accept: (request: Noted, { chains, query: { key } }) => {
      const body = request[notedBody]
      if (body === undefined) return
      const accepted = { chains, key, ready: undefined }
      known.set(body, accepted, { size: sizeOf(body, accepted) })
    },
    keep: (body, request, ready) => {
      // A text of the body, and the texts of the chains' answers with up to two bytes per character.
      const size = sizeOf(body, request) + 3 * ready.answer.body.length + readyBytes
      // A new object: lru-cache keeps the old size of an entry whose value is the same object.
      known.set(body, { ...request, ready }, { size })
    },
    get count() {
      return known.size
    },
    get bytes() {
      return known.calculatedSize
    },
  }
}

function sizeOf(body: string, { chains, key }: Pick<KnownRequest, 'chains' | 'key'>): number {
  return body.length + 2 * key.length + 8 * chains.length + entryBytes
}
