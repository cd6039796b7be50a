import type { StopSignal } from '@tallystick/base'
import { type Dispatcher, errors } from 'undici'

/** Status and headers of a response. */
export type HttpHead = {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Complete response with any status. */
export type HttpAnswer = HttpHead & { readonly bytes: Buffer }

export type ReceiveRequest = {
  readonly origin: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | undefined
  readonly bytesMax: number
  readonly signal: StopSignal
  /** Called when the response headers have arrived. */
  readonly onHead: (head: HttpHead) => void
  /** Called with each part of the body, also of one that is too large. */
  readonly onData?: ((chunk: Buffer) => void) | undefined
}

/**
 * Sends a request and reads the whole response. An abort or a body of more than `bytesMax` bytes destroys the socket. Does
 * not follow redirects. Throws the error of undici. An aborted request that waits for a connection settles when it has one.
 *
 * Not `fetch`: the one of Node 20 loses the abort in a garbage collection once the headers have arrived. Not `request` of
 * undici: its streams and signals cost more than the rest of an exchange.
 */
export function receive(dispatcher: Dispatcher, request: ReceiveRequest): Promise<HttpAnswer> {
  const { origin, path, method, headers, body, bytesMax, signal, onHead, onData } = request
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let head: HttpHead | undefined
    let length = 0
    const chunks: Buffer[] = []
    const onAbort = () => controller?.abort(aborted)
    signal.addEventListener('abort', onAbort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (signal.aborted) started.abort(aborted)
      },
      onResponseStart: (_, status, received) => {
        // Informational. The response follows.
        if (status < 200) return
        head = { status, headers: received }
        onHead(head)
      },
      onResponseData: (started, chunk) => {
        onData?.(chunk)
        length += chunk.length
        if (length > bytesMax) started.abort(new errors.ResponseExceededMaxSizeError())
        else chunks.push(chunk)
      },
      onResponseEnd: () => {
        signal.removeEventListener('abort', onAbort)
        if (head) resolve({ ...head, bytes: Buffer.concat(chunks) })
      },
      onResponseError: (_, error) => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    }
    dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, handler)
  })
}

/** Returns the first value of a header. */
export function headerOf({ headers }: HttpHead, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns the code of an error of undici or Node. Messages contain addresses. */
export function codeOf(error: unknown): string | undefined {
  const { code, name, message } = (error ?? {}) as NodeJS.ErrnoException
  // undici sets no code on its parser errors.
  if (name === 'HTTPParserError') return /EOF/.test(message) ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID'
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined
}

// Internal: the caller gets the signal's reason.
const aborted = new Error('aborted')
