import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from '../response/matches-etag.ts'

/** How the answer to a request is made again from memory. */
export type AnswerSource<Found extends object = object> = {
  /** Finds what the answer is made of, the same object as long as it has not changed. It never waits. */
  recall(nowMs: number): Found | undefined
  /** Makes the answer. It is right for the second of `nowMs`, while `recall` returns the same object. */
  respond(found: Found, nowMs: number): MemoryResponse
  /** Counts a sent answer. */
  countSent?(): void
}

/** Response of a route, without the headers that all responses have. */
export type MemoryResponse = {
  readonly body: string | Buffer
  readonly mediaType: string
  readonly etag?: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A route as the framework has registered it. */
export type RememberedRoute = { readonly url: string; readonly config: FastifyContextConfig }

type Remember = (route: RememberedRoute, source: AnswerSource) => void

// A member of the request: a WeakMap would have one more entry per request until the next large collection.
const remember = Symbol('remember')
type Noted = IncomingMessage & { [remember]?: Remember }

/** Notes that the answer to a request may be remembered. */
export function noteRequest(request: IncomingMessage, onAnswer: Remember): void {
  ;(request as Noted)[remember] = onAnswer
}

/**
 * Remembers how a request that the framework has accepted is answered from memory, so that the fast path answers the same
 * bytes. All headers of such an answer, besides those that every response has, must come from `source`.
 */
export function rememberAnswer<Found extends object>(
  { raw, routeOptions: { url = '', config } }: FastifyRequest,
  source: AnswerSource<Found>,
): void {
  ;(raw as Noted)[remember]?.({ url, config }, source as AnswerSource)
}

/** Sends a response through the framework, or 304 if the client has it already. */
export function sendResponse(reply: FastifyReply, { body, mediaType, etag, headers }: MemoryResponse): FastifyReply {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.header(name, value)
  if (etag !== undefined) {
    reply.header('etag', etag)
    if (matchesEtag(reply.request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.type(`${mediaType}; charset=utf-8`).send(body)
}
