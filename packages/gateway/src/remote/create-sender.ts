import type { Secret } from '@tallystick/base'
import { beginCall, type Call } from './begin-call.ts'
import { classifyAnswer } from './classify-answer.ts'
import {
  type Connections,
  type ConnectionsOptions,
  createConnections,
  type Exchange,
  type Post,
} from './create-connections.ts'
import { createRedact } from './create-redact.ts'
import { type Phase, transportError } from './transport-error.ts'

/** Query as it is sent to every upstream. */
export type WireQuery = {
  readonly body: Buffer
  readonly headAlias: string
  /** Whether it bypasses the queue of callers' queries. */
  readonly isUrgent: boolean
  /** Used only in the log. */
  readonly operationName: string | undefined
}

export type SenderOptions = Omit<ConnectionsOptions, 'origin'> & {
  readonly url: string
  readonly headers: Readonly<Record<string, Secret>>
}

type Sender = {
  begin(query: WireQuery): Call
  /** Cancels running calls and closes all connections. */
  close(): Promise<void>
}

const ownHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, application/graphql-response+json',
  // Responses are not decompressed: a small body could expand to gigabytes.
  'accept-encoding': 'identity',
}

/** Creates a sender of queries to one URL. */
export function createSender({ url: text, headers, answerBytesMax, ca, time }: SenderOptions): Sender {
  const url = new URL(text)
  const path = url.pathname + url.search
  const redact = createRedact(url, headers)
  const connections = createConnections({ origin: url.origin, answerBytesMax, ca, time })
  const sent = { ...ownHeaders, ...reveal(headers) }
  const running = new Set<Call>()
  return {
    begin: ({ body, headAlias, isUrgent }) => {
      const call = beginCall(async ({ signal, onHeaders }) => {
        const post = { path, headers: sent, body, isUrgent, signal, onHeaders }
        const exchange = await postQuery(connections, { post, answerBytesMax, sinceMs: time.monotonic() })
        return classifyAnswer(exchange, { headAlias, redact, nowMs: time.now() })
      })
      running.add(call)
      void call.outcome.then(() => running.delete(call))
      return call
    },
    close: async () => {
      for (const call of running) call.end('cancelled')
      await connections.close()
    },
  }
}

function reveal(headers: Readonly<Record<string, Secret>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()]))
}

/**
 * Sends a query to an upstream. If a reused connection was closed before the response, it sends the query once more: the
 * query only reads, and the upstream has probably not received it. Throws only errors that callers may see, or the
 * signal's reason.
 */
async function postQuery(
  connections: Connections,
  { post, answerBytesMax, sinceMs }: { readonly post: Post; readonly answerBytesMax: number; readonly sinceMs: number },
): Promise<Exchange> {
  let phase: Phase = 'headers'
  const onHeaders = () => {
    phase = 'body'
    post.onHeaders()
  }
  const send = () => connections.post({ ...post, onHeaders })
  try {
    return await send().catch((error) => {
      if (post.signal.aborted || phase === 'body' || !connections.wasReused(error, sinceMs)) throw error
      return send()
    })
  } catch (error) {
    post.signal.throwIfAborted()
    throw transportError(error, { phase, answerBytesMax })
  }
}
