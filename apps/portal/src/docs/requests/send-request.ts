import type { ApiRequest } from './request.ts'

export type ApiAnswer = {
  readonly status: number
  readonly durationMs: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** Why the body ends where it does. */
  readonly end: 'complete' | 'size' | 'time'
}

export type SendOptions = {
  readonly apiKey?: string | undefined
  /** Stops the request. What was received of the body until then is the answer. */
  readonly signal: AbortSignal
  readonly fetch?: typeof fetch
  readonly monotonicNow?: () => number
}

/** Most bytes of a body that are read. A page of 1,000 periods has about 200 KB. */
export const bodyBytesMax = 512 * 1024

// Headers that tell something about an answer, in the order in which they are shown.
const shownHeaders = [
  'content-type',
  'x-request-id',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
  'etag',
  'cache-control',
  'link',
  'deprecation',
  'allow',
  'x-tallystick-chains',
  'x-tallystick-log',
]

/** Sends a request to this service. The key goes into a header and nowhere else. */
export async function sendRequest(request: ApiRequest, options: SendOptions): Promise<ApiAnswer> {
  const { apiKey, signal, monotonicNow = () => performance.now() } = options
  const send = options.fetch ?? fetch
  const startedMs = monotonicNow()
  const response = await send(request.path, {
    method: request.method,
    headers: [
      ...request.headers.map(([name, value]): [string, string] => [name, value]),
      ...(request.needsKey && apiKey !== undefined ? [['x-api-key', apiKey] as [string, string]] : []),
    ],
    ...(request.body !== undefined && { body: request.body }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  })
  const durationMs = monotonicNow() - startedMs
  const headers = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { status: response.status, durationMs, headers, ...(await readBody(response, signal)) }
}

/** Reads a body until it ends, is too large, or `signal` aborts. */
async function readBody(response: Response, signal: AbortSignal): Promise<Pick<ApiAnswer, 'body' | 'end'>> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let body = ''
  let bytes = 0
  if (!reader) return { body, end: 'complete' }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { body: body + decoder.decode(), end: 'complete' }
      const rest = value.subarray(0, bodyBytesMax - bytes)
      bytes += rest.length
      body += decoder.decode(rest, { stream: true })
      if (rest.length < value.length || bytes === bodyBytesMax) {
        await reader.cancel()
        return { body, end: 'size' }
      }
    }
  } catch (error) {
    if (signal.aborted) return { body, end: 'time' }
    throw error
  }
}
