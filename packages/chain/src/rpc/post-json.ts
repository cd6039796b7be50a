import { exchange, HttpError } from '../http/exchange.ts'
import { findJson } from '../http/find-json.ts'
import { type HttpAnswer, headerOf } from '../http/receive.ts'
import { RpcError } from './rpc-error.ts'

export type PostOptions = {
  readonly url: string
  readonly body: string
  readonly timeoutMs: number
  readonly answerBytesMax: number
  /** Aborts the request. */
  readonly signal: AbortSignal
}

const jsonHeaders = { 'content-type': 'application/json' }

/** Posts a JSON body and returns the parsed response. A JSON-RPC error is returned whatever the HTTP status. */
export async function postJson({ answerBytesMax, ...request }: PostOptions): Promise<unknown> {
  try {
    return parseResponse(await exchange({ ...request, method: 'POST', headers: jsonHeaders, bytesMax: answerBytesMax }))
  } catch (error) {
    throw error instanceof HttpError ? toRpcError(error) : error
  }
}

/** Accepts a JSON-RPC error with status 400 or 500: providers put the reason of a rejection into such a body. */
function parseResponse(answer: HttpAnswer): unknown {
  const { status } = answer
  if (status === 429) {
    const seconds = Number(headerOf(answer, 'retry-after') ?? Number.NaN)
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined
    throw new RpcError({ kind: 'busy', message: 'responded 429: too many requests', retryAfterMs })
  }
  const isGood = status >= 200 && status < 300
  const json = findJson(answer.bytes.toString())
  if (json !== undefined && (isGood || hasError(json))) return json
  if (isGood) throw new RpcError({ kind: 'malformed', message: 'sent a response that is not JSON' })
  if (status === 413) throw new RpcError({ kind: 'refused', message: 'responded 413: too large' })
  const kind = status === 408 || status === 504 ? 'timeout' : 'unreachable'
  throw new RpcError({ kind, message: `responded ${status}`, status })
}

function hasError(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json && typeof json.error === 'object'
}

const kinds = { timeout: 'timeout', too_large: 'refused', unreachable: 'unreachable' } as const

function toRpcError({ failure, message }: HttpError): RpcError {
  return new RpcError({ kind: kinds[failure], message })
}
