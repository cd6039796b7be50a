import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusal } from '../response/errors.ts'

/** The type of every response that a route does not declare another for. */
export const jsonType = 'application/json'

/** Returns the media type that an Accept header prefers, as `findMediaType`. Throws `not_acceptable` if it excludes all. */
export function chooseMediaType<Type extends string>(accept: string | undefined, mediaTypes: readonly Type[]): Type {
  const found = findMediaType(accept, mediaTypes)
  if (found !== undefined) return found
  throw refusal(
    'not_acceptable',
    `This service responds with ${mediaTypes.join(' or ')}, which the Accept header excludes.`,
  )
}

/** Returns the media type that an Accept header prefers (RFC 9110 §12.5.1), the first of equals. */
export function findMediaType<Type extends string>(
  accept: string | undefined,
  mediaTypes: readonly Type[],
): Type | undefined {
  const ranges = parseRanges(accept === undefined || accept.trim() === '' ? '*/*' : accept)
  const [best] = mediaTypes
    .map((type) => ({ type, quality: qualityOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  return best?.type
}

type MediaRange = { readonly name: string; readonly quality: number }

function parseRanges(accept: string): MediaRange[] {
  return accept.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const qualities = parameters.flatMap(
      (parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)?.[1] ?? [],
    )
    return { name, quality: Number(qualities[0] ?? 1) }
  })
}

/** The most specific range that covers a type decides. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const range of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const matching = ranges.filter(({ name }) => name === range)
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality))
  }
  return 0
}

// An embedded subgraph reads variables of up to 51 levels. Recursion over a much deeper value overflows the stack.
const levelsMax = 60

/**
 * Rejects a JSON body that would fail later: nested too deep for recursive code, or with an unpaired surrogate, which
 * PostgreSQL does not accept in JSON.
 */
export function assertBody(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const parts = Array.isArray(body) ? [['The body', body] as const] : Object.entries(body).map(nameMember)
  for (const [what, value] of parts) assertJson(what, value)
}

/** Rejects such a value from elsewhere. `what` is its name in the message. */
export function assertJson(what: string, value: unknown): void {
  const fault = findFault(value, levelsMax)
  if (fault === undefined) return
  throw refusal('invalid_request', `${what} ${faults[fault]}`)
}

const faults = {
  deep: `is nested deeper than ${levelsMax} levels. Send a flatter value.`,
  surrogate: 'contains an unpaired surrogate. Send well-formed Unicode.',
} as const

function nameMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [JSON.stringify(name.slice(0, 40)), value]
}

const surrogate = /\p{Surrogate}/u

function findFault(value: unknown, levels: number): keyof typeof faults | undefined {
  if (typeof value === 'string') return surrogate.test(value) ? 'surrogate' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return 'deep'
  for (const [name, member] of Object.entries(value)) {
    const fault = findFault(name, levels) ?? findFault(member, levels - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Hook that throws `unsupported_media_type` if a body is declared to be in another encoding than UTF-8. */
export function assertUtf8({ headers }: FastifyRequest, _: FastifyReply, done: () => void): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  }
  done()
}
