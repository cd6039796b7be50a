import type { Connections, Exchange, Post } from './open-connections.ts'
import { type Phase, transportError } from './transport-error.ts'

/**
 * One exchange with an upstream. Where a kept connection turns out to have been closed before anything was answered, the
 * query is sent once more: it reads only, and the upstream has likely never seen it. Throws nothing but errors fit for
 * the caller, and the signal's reason.
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
      if (post.signal.aborted || phase === 'body' || !connections.wasKept(error, sinceMs)) throw error
      return connections.post({ ...post, onHeaders })
    })
  } catch (error) {
    post.signal.throwIfAborted()
    throw transportError(error, { phase, answerBytesMax })
  }
}
