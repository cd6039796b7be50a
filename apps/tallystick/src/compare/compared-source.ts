import type { Secret } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { classifyAnswer, classifyFailure, createRedact } from '@tallystick/gateway'
import type { Subgraph } from '@tallystick/subgraph'
import { postQuery } from '../doctor/subgraph/post-query.ts'

/** A subgraph that is compared with another one. */
export type ComparedSource = {
  /** Host, or "embedded". */
  readonly name: string
  /** Returns the data, or the reason why the source cannot answer this query. Throws if the source itself fails. */
  ask(query: string): Promise<ComparedAnswer>
  close(): Promise<void>
}

type ComparedAnswer =
  | { readonly data: Readonly<Record<string, unknown>>; readonly rejection?: undefined }
  | { readonly data?: undefined; readonly rejection: string }

// As the limit of the service for an answer of an upstream.
const answerBytesMax = 8 * 1024 * 1024

type UrlSourceOptions = {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, Secret>>
  readonly fingerprint256?: string | undefined
}

/** Creates the source of a subgraph at a URL. */
export function createUrlSource({ name, url, headers, fingerprint256 }: UrlSourceOptions): ComparedSource {
  const redact = createRedact(new URL(url), headers)
  return {
    name,
    ask: (query) =>
      answerOf(async () => {
        const revealed = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, value.reveal()]))
        const { status, contentType, retryAfter, text } = await postQuery(
          { url, headers: revealed, fingerprint256 },
          { body: { query }, responseBytesMax: answerBytesMax },
        )
        const received = { 'content-type': contentType, 'retry-after': retryAfter }
        const answer = classifyAnswer({ status, headers: received, text }, { headAlias: '', redact, nowMs: Date.now() })
        return { data: answer.data, errors: answer.errors }
      }),
    close: async () => undefined,
  }
}

/** Creates the source of the index of an embedded subgraph. */
export function createIndexSource(subgraph: Pick<Subgraph, 'answer'>, close: () => Promise<void>): ComparedSource {
  return {
    name: 'embedded',
    ask: (query) =>
      answerOf(async () => {
        const { data, errors = [], failure } = await subgraph.answer({ query })
        const messages = errors.map(({ message }) => message)
        if (data === undefined) throw classifyFailure(failure?.code ?? 'internal_error', messages.join(' '))
        return { data, errors: messages }
      }),
    close,
  }
}

async function answerOf(
  ask: () => Promise<{ readonly data: string; readonly errors: readonly string[] }>,
): Promise<ComparedAnswer> {
  try {
    const { data, errors } = await ask()
    return errors.length > 0 ? { rejection: errors.join(' ') } : { data: JSON.parse(data) }
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    const isOfQuery = error.code === 'query_rejected' || error.details?.['failure'] === 'behind'
    if (isOfQuery) return { rejection: error.message }
    throw error
  }
}
