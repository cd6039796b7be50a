import type { TallystickError } from '@tallystick/core'
import { type Head, type SubgraphAnswer, upstreamError } from '../chain-subgraph.ts'
import { classifyErrors, cleanMessages, type ErrorEntries } from './classify-errors.ts'
import type { Redact } from './create-redact.ts'
import type { Exchange } from './open-connections.ts'
import { parseRetryAfter } from './parse-retry-after.ts'

export type Reading = {
  /** The response key of our own selection of the head. */
  readonly headAlias: string
  readonly redact: Redact
  readonly nowMs: number
}

// For a 429 that does not say: windows of a second are the most common.
const retryAfterSecondsDefault = 1

/** What an upstream's HTTP answer amounts to: the caller's data, or an error that says what is wrong with it. */
export function classifyAnswer(exchange: Exchange, reading: Reading): SubgraphAnswer {
  const { status, text } = exchange
  const json = parseJson(text)
  const isGood = status >= 200 && status < 300
  const errors = errorsOf(json)
  if (!isGood) throw statusError(exchange, { errors: hasJsonType(exchange) ? errors : undefined, reading })
  if (json === undefined) throw notJson(exchange)
  if (!hasJsonType(exchange)) throw wrongType()
  const { data, meta } = takeHead(json, reading.headAlias)
  if (data && (!errors || Object.values(data).some((value) => value !== null))) {
    const same = errors ? undefined : cutHead(text, { json, meta, headAlias: reading.headAlias })
    const messages = errors ? cleanMessages(errors, reading.redact) : []
    return { data: same ?? JSON.stringify(data), errors: messages, head: readHead(meta) }
  }
  if (errors) throw classifyErrors(errors, reading)
  // What graph-node says at a path it does not know.
  if (isObject(json) && json['message'] === 'Not found') throw noSubgraph()
  throw upstreamError({
    failure: 'malformed',
    message: 'The chain’s subgraph answered with JSON that is no GraphQL answer. Try again later.',
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** By the GraphQL over HTTP specification; graph-node and the gateway send the first. */
function hasJsonType({ headers }: Exchange): boolean {
  return /^application\/(json|graphql-response\+json)\s*(;|$)/i.test(headers['content-type'] ?? '')
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
  const { status, headers } = exchange
  const retryAfterSeconds = parseRetryAfter({
    retryAfter: headers['retry-after'],
    date: headers['date'],
    nowMs: reading.nowMs,
  })
  if (status === 429) {
    const message = 'The chain’s subgraph takes no more queries for the moment. Try again later.'
    return upstreamError({ failure: 'busy', message, retryAfterSeconds: retryAfterSeconds ?? retryAfterSecondsDefault })
  }
  if (status === 401 || status === 403) {
    const message = `The chain’s subgraph does not accept the operator’s key (status ${status}). The operator has to mend this.`
    return upstreamError({ failure: 'unauthorized', message })
  }
  if (status === 404 || status === 410) return noSubgraph()
  const isRedirect = status >= 300 && status < 400
  const what = isRedirect ? `a redirect (status ${status}), which is not followed` : `status ${status}`
  const error = upstreamError({
    failure: 'http_status',
    message: `The chain’s subgraph answered with ${what}. Try again later.`,
    ...(status === 503 && { retryAfterSeconds }),
  })
  if (!errors) return error
  // Servers of the newer media type reject a query with 400 or 422.
  return classifyErrors(errors, { redact: reading.redact, ...(status >= 500 && { otherwise: error }) })
}

function noSubgraph(): TallystickError {
  return upstreamError({
    failure: 'not_found',
    message: 'The chain’s subgraph does not exist where it is looked for. The operator has to mend this.',
  })
}

function notJson(exchange: Exchange): TallystickError {
  const { text } = exchange
  if (hasJsonType(exchange) && isCutOff(text)) {
    return upstreamError({
      failure: 'truncated',
      message: 'The answer of the chain’s subgraph ended early. Try again.',
    })
  }
  const what = /^\s*$/.test(text) ? 'nothing' : /^\s*</.test(text) ? 'HTML' : 'a text'
  return upstreamError({
    failure: 'not_json',
    message: `The chain’s subgraph answered with ${what} instead of JSON. Try again later.`,
  })
}

/** Whether a text begins as a JSON object or list and stops before that is closed. */
function isCutOff(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string
    if (isInString && character === '\\') index += 1
    else if (character === '"') isInString = !isInString
    else if (!isInString && '[{'.includes(character)) depth += 1
    else if (!isInString && ']}'.includes(character)) depth -= 1
  }
  return isInString || depth > 0
}

function wrongType(): TallystickError {
  return upstreamError({
    failure: 'wrong_type',
    message: 'The chain’s subgraph declares its answer as something other than JSON. The operator has to mend this.',
  })
}

/** The caller's data and, apart from it, what we asked for on our own. */
function takeHead(json: unknown, headAlias: string) {
  const data = isObject(json) && isObject(json['data']) ? json['data'] : undefined
  if (!data) return { data: undefined, meta: undefined }
  const { [headAlias]: meta, ...callers } = data
  return { data: callers, meta }
}

/**
 * The caller's data in the upstream's own words, which saves writing them anew and keeps numbers that JavaScript cannot
 * hold. Our selection is the first of the query, so its value is the first of the answer: undefined where it is not. The
 * text is JSON as a whole and what is cut off ends between two members, so what is left is JSON too, whatever it holds.
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
