import type { Connections, Exchange, Post } from './open-connections.ts'
import { type Phase, transportError } from './transport-error.ts'

/**
 * Sends a query to an upstream. If a reused connection was closed before the response, it sends the query once more: the
 * query only reads, and the upstream has probably not received it. Throws only errors that callers may see, or the
 * signal's reason.
 */
export async function postQuery(
  connections: Connections,
  {
    answerBytesMax,
    monotonicNow,
    ...post
  }: Post & { readonly answerBytesMax: number; readonly monotonicNow: () => number },
): Promise<Exchange> {
  let phase: Phase = 'headers'
  const onHeaders = () => {
    phase = 'body'
    post.onHeaders()
  }
  const sinceMs = monotonicNow()
  try {
    return await connections.post({ ...post, onHeaders }).catch((error) => {
      if (post.signal.aborted || phase === 'body' || !connections.wasReused(error, sinceMs)) throw error
      return connections.post({ ...post, onHeaders })
    })
  } catch (error) {
    post.signal.throwIfAborted()
    throw transportError(error, { phase, answerBytesMax })
  }
}
