import type { IncomingMessage } from 'node:http'
import type { Gateway, PreparedQuery, SubgraphAnswer } from '@tallystick/gateway'
import { createSendFast, type FastAnswer } from '@tallystick/http'
import { LRUCache } from 'lru-cache'
import type { FastPathParts, Respond } from '../routing/fast-path-parts.ts'
import { type DataParts, encodeResults, formatHeads, headsOf } from './data-route.ts'

export type FastDataParts = {
  readonly gateway: Pick<Gateway, 'recall' | 'countHits'>
  readonly knownRequests: KnownRequests
}

// Below the size at which Node stops reading from a connection until a body is read. The framework does not read a body
// that was put back if it rejects the key or the allowance is spent, and that must not stop the connection.
const bodyBytesMax = 8 * 1024
// Sending a larger answer costs more than the fast path saves, and few of them would fill the memory of known requests.
const answerLengthMax = 256 * 1024

/** Returns whether the fast path may answer a plain request to `POST /data`. */
export function isDataRequest({ method, url, headers }: IncomingMessage): boolean {
  return method === 'POST' && url === '/data' && headers['content-type'] === 'application/json'
}

/**
 * Creates the function that answers `POST /data` from memory: with a valid key, with a body whose exact bytes the framework
 * has answered from memory before, while every chain has the answer of its latest block in memory
 * (docs/decisions/0019-fast-path-data.md; a test compares the two).
 */
export function createRespondToData({ gateway, knownRequests }: FastDataParts, parts: FastPathParts): Respond {
  const { keyRing, cors } = parts
  const findAnswer = createFindAnswer({ gateway, knownRequests }, parts)
  const send = createSendFast('/data', parts)

  return (response, { request, startedMs, nowMs }) => {
    if (!hasShortBody(request)) return false
    const bytes: Buffer = request.read()
    const body = bytes.toString('latin1')
    const known = knownRequests.find(body)
    const secret = request.headers['x-api-key']
    const key = known && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    const answer = known && key?.scopes.has('data') && !key.allows ? findAnswer(known, { body, nowMs }) : undefined
    const rate = answer && key?.limit?.take(startedMs)
    if (!known || !key || !answer || (rate && !rate.allowed)) {
      request.unshift(bytes)
      knownRequests.expect(request, body)
      return false
    }
    key.uses.data++
    gateway.countHits(known.chains)
    send(response, { answer, limit: key.limit, rate, corsLines: cors?.linesOf(request.headers.origin), startedMs })
    // The body has been read, but not its end, which ends the request.
    request.resume()
    return true
  }
}

/** Returns whether all of the body is here, without reading it. `complete` would be set a moment later. */
function hasShortBody({ readableLength, headers }: IncomingMessage): boolean {
  return readableLength > 0 && readableLength <= bodyBytesMax && readableLength === Number(headers['content-length'])
}

/** Creates the function that finds the answer to a known request, and makes it once per second and block. */
function createFindAnswer({ gateway, knownRequests }: FastDataParts, { headers: common, formatDate }: FastPathParts) {
  return (
    known: KnownRequest,
    { body, nowMs }: { readonly body: string; readonly nowMs: number },
  ): FastAnswer | undefined => {
    const answers = gateway.recall(known)
    if (!answers) return undefined
    const second = Math.floor(nowMs / 1000)
    const { ready } = known
    if (ready?.second === second && answers.every((answer, index) => answer === ready.answers[index])) {
      return ready.answer
    }
    const results = known.chains.map((chain, index) => ({ chain, answer: answers[index] as SubgraphAnswer }))
    if (results.reduce((length, { answer }) => length + answer.data.length, 0) > answerLengthMax) return undefined
    const bytes = Buffer.from(encodeResults(results))
    const headers = Object.entries({
      ...common,
      date: formatDate(nowMs),
      'x-tallystick-chains': formatHeads(headsOf(results), nowMs),
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes.length),
    }).flat()
    const answer: FastAnswer = { status: 200, headers, body: bytes.toString('latin1'), prebuilt: undefined }
    knownRequests.keep(body, known, { second, answers, answer })
    return answer
  }
}

/** The request that a body stands for. */
type KnownRequest = {
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
  readonly accept: DataParts['rememberRequest']
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
