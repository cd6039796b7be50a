import { parseRetryAfter } from '@tallystick/base'
import { headerOf } from '@tallystick/chain'
import { isCutOff, parseJson, type TallystickError } from '@tallystick/core'
import { type Head, type SubgraphAnswer, upstreamError } from '../chain-subgraph.ts'
import { classifyErrors, cleanMessages, type ErrorEntries } from './classify-errors.ts'
import type { Exchange } from './create-connections.ts'
import type { Redact } from './create-redact.ts'
import { hasPlainStrings, skipMembers } from './skip-members.ts'

export type Reading = {
  /** Response key of the head selection that the service adds. */
  readonly headAlias: string
  readonly redact: Redact
  readonly nowMs: number
}

// Caps Retry-After at 120 s. Then one probe is sent.
const retryAfterSecondsMax = 120
// For a 429 without Retry-After. Limits per second are the most common.
const retryAfterSecondsDefault = 1

/** Returns the data of an upstream's HTTP response, or throws an error that says what is wrong with it. */
export function classifyAnswer(exchange: Exchange, reading: Reading): SubgraphAnswer {
  const { status, text } = exchange
  const isGood = status >= 200 && status < 300
  const isJsonType = hasJsonType(exchange)
  const plain = isGood && isJsonType ? readPlainAnswer(text, reading.headAlias) : undefined
  if (plain) return plain
  const json = findJson(text)
  const errors = errorsOf(json)
  if (!isGood) throw statusError(exchange, { errors: isJsonType ? errors : undefined, reading })
  if (json === undefined) throw notJson(exchange)
  if (!isJsonType) {
    const message = 'The chain’s subgraph returned JSON with another content type. Contact the operator.'
    throw upstreamError({ failure: 'wrong_type', message })
  }
  const { data, meta } = takeHead(json, reading.headAlias)
  if (data && (!errors || Object.values(data).some((value) => value !== null))) {
    const same = errors ? undefined : cutHead(text, { json, meta, headAlias: reading.headAlias })
    const messages = errors ? cleanMessages(errors, reading.redact) : []
    return { data: same ?? JSON.stringify(data), errors: messages, head: readHead(meta), source: 'remote' }
  }
  if (errors) throw classifyErrors(errors, reading)
  // The body graph-node sends for an unknown path.
  if (isObject(json) && json['message'] === 'Not found') throw noSubgraph()
  throw upstreamError({
    failure: 'malformed',
    message: 'The chain’s subgraph returned JSON that is not a GraphQL response. Try again later.',
  })
}

/**
 * Reads the common form of an answer without parsing its data: only data, compact, without escapes, the head first and once.
 * Returns undefined for every other text. What it accepts is JSON, and parsing it gives the same answer.
 */
function readPlainAnswer(text: string, headAlias: string): SubgraphAnswer | undefined {
  const opening = `{"data":{"${headAlias}":`
  if (!text.startsWith(`${opening}{`) || !hasPlainStrings(text)) return undefined
  const headEnd = skipMembers(text, opening.length + 1)
  if (headEnd === 0 || text.charAt(headEnd) !== ',') return undefined
  const dataEnd = skipMembers(text, headEnd + 1)
  if (dataEnd !== text.length - 1 || !text.endsWith('}') || text.includes(`"${headAlias}"`, headEnd)) return undefined
  const head = readHead(JSON.parse(text.slice(opening.length, headEnd)))
  return { data: `{${text.slice(headEnd + 1, dataEnd)}`, errors: [], head, source: 'remote' }
}

function findJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns whether the media type is one of GraphQL over HTTP. graph-node and The Graph's gateway send the first. */
function hasJsonType(exchange: Exchange): boolean {
  return /^application\/(json|graphql-response\+json)\s*(;|$)/i.test(headerOf(exchange, 'content-type') ?? '')
}

function errorsOf(json: unknown): ErrorEntries | undefined {
  const errors = isObject(json) ? json['errors'] : undefined
  return Array.isArray(errors) && errors.length > 0 ? errors : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function statusError(
  exchange: Exchange,
  { errors, reading }: { readonly errors: ErrorEntries | undefined; readonly reading: Reading },
): TallystickError {
  const { status } = exchange
  const retryAfterSeconds = parseRetryAfter({
    retryAfter: headerOf(exchange, 'retry-after'),
    date: headerOf(exchange, 'date'),
    nowMs: reading.nowMs,
    secondsMax: retryAfterSecondsMax,
  })
  if (status === 429) {
    const message = 'The rate limit of the chain’s subgraph is reached. Try again later.'
    return upstreamError({ failure: 'busy', message, retryAfterSeconds: retryAfterSeconds ?? retryAfterSecondsDefault })
  }
  if (status === 401 || status === 403) {
    const message = `The chain’s subgraph rejected the operator’s key (status ${status}). Contact the operator.`
    return upstreamError({ failure: 'unauthorized', message })
  }
  if (status === 404 || status === 410) return noSubgraph()
  const isRedirect = status >= 300 && status < 400
  const what = isRedirect ? `a redirect (status ${status}), which is not followed` : `status ${status}`
  const error = upstreamError({
    failure: 'http_status',
    message: `The chain’s subgraph responded with ${what}. Try again later.`,
    ...(status === 503 && { retryAfterSeconds }),
  })
  if (!errors) return error
  // Servers that use application/graphql-response+json reject a query with 400 or 422.
  return classifyErrors(errors, { redact: reading.redact, ...(status >= 500 && { otherwise: error }) })
}

function noSubgraph(): TallystickError {
  return upstreamError({
    failure: 'not_found',
    message: 'The chain’s subgraph was not found at the configured URL. Contact the operator.',
  })
}

function notJson(exchange: Exchange): TallystickError {
  const { text } = exchange
  if (hasJsonType(exchange) && /^\s*[[{]/.test(text) && isCutOff(text)) {
    return upstreamError({
      failure: 'truncated',
      message: 'The answer of the chain’s subgraph ended early. Try again.',
    })
  }
  const what = /^\s*$/.test(text) ? 'an empty body' : /^\s*</.test(text) ? 'HTML' : 'text'
  return upstreamError({
    failure: 'not_json',
    message: `The chain’s subgraph returned ${what} instead of JSON. Try again later.`,
  })
}

/** Separates the caller's data from the head selection that the service added. */
function takeHead(json: unknown, headAlias: string) {
  const data = isObject(json) && isObject(json['data']) ? json['data'] : undefined
  if (!data) return { data: undefined, meta: undefined }
  const { [headAlias]: meta, ...callers } = data
  return { data: callers, meta }
}

/**
 * Cuts the head out of the response text and returns the rest unparsed. That saves serialising it and keeps numbers that
 * JavaScript cannot represent. The head is selected first, so it is expected first in the data. Returns undefined if it
 * is not. The cut ends between two members of valid JSON, so the rest is valid JSON.
 */
function cutHead(
  text: string,
  { json, meta, headAlias }: { readonly json: unknown; readonly meta: unknown; readonly headAlias: string },
): string | undefined {
  const opening = `{"data":{"${headAlias}":${JSON.stringify(meta)},`
  const isAlone = Object.keys(json as object).length === 1
  return isAlone && text.startsWith(opening) && text.endsWith('}}') ? `{${text.slice(opening.length, -1)}` : undefined
}

function readHead(meta: unknown): Head | undefined {
  const block = isObject(meta) ? meta['block'] : undefined
  if (!isObject(block)) return undefined
  const { number, hash, timestamp } = block
  if (!Number.isSafeInteger(number) || (number as number) < 0) return undefined
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{1,128}$/i.test(hash)) return undefined
  const isTime = Number.isSafeInteger(timestamp) && (timestamp as number) >= 0
  return { number: number as number, hash, timestamp: isTime ? (timestamp as number) : undefined }
}
