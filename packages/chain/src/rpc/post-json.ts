import { readChunks } from '@tallystick/core/stream/read-chunks'
import { RpcError } from './rpc-error.ts'

export type PostOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  readonly answerBytesMax: number
  /** Aborts the request. */
  readonly signal: AbortSignal
}

/** Posts a JSON body and returns the parsed response. A JSON-RPC error is returned whatever the HTTP status. */
export async function postJson(options: PostOptions): Promise<unknown> {
  const { url, headers, body, timeoutMs, signal } = options
  // Not AbortSignal.any: on a signal that lives as long as the process, it leaks the memory of every call in Node 20.
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    const response = await fetch(url, { method: 'POST', headers, body, signal: controller.signal, redirect: 'error' })
    const bytesMax = options.answerBytesMax
    const chunks = await readChunks(response.body ?? [], { bytesMax, tooLarge: () => tooLarge(bytesMax) })
    return parseResponse(response, Buffer.concat(chunks).toString())
  } catch (error) {
    controller.abort()
    signal.throwIfAborted()
    throw toRpcError(error, { timeoutMs, isTimeout: controller.signal.aborted && isAbort(error) })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function tooLarge(bytesMax: number): RpcError {
  return new RpcError({ kind: 'refused', message: `sent a response of more than ${bytesMax} bytes` })
}

/** Accepts a JSON-RPC error with status 400 or 500: providers put the reason of a rejection into such a body. */
function parseResponse(response: Response, text: string): unknown {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined
    throw new RpcError({ kind: 'busy', message: 'responded 429: too many requests', retryAfterMs })
  }
  const json = parseJson(text)
  if (json !== undefined && (response.ok || hasError(json))) return json
  if (response.ok) throw new RpcError({ kind: 'malformed', message: 'sent a response that is not JSON' })
  const { status } = response
  if (status === 413) throw new RpcError({ kind: 'refused', message: 'responded 413: too large' })
  const kind = status === 408 || status === 504 ? 'timeout' : 'unreachable'
  throw new RpcError({ kind, message: `responded ${status}` })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function hasError(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json && typeof json.error === 'object'
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** Converts a fetch failure. Its cause contains addresses and possibly the URL with credentials, so only its code is used. */
function toRpcError(
  error: unknown,
  { timeoutMs, isTimeout }: { readonly timeoutMs: number; readonly isTimeout: boolean },
): RpcError {
  if (error instanceof RpcError) return error
  if (isTimeout) return new RpcError({ kind: 'timeout', message: `did not respond within ${timeoutMs} ms` })
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }
  const reason = typeof code === 'string' ? code : 'connection lost'
  return new RpcError({ kind: 'unreachable', message: `cannot be reached (${reason})` })
}
