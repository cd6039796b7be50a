import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { createAbort, type StopSignal } from '@tallystick/base'
import { Agent, type Dispatcher } from 'undici'
import { codeOf, type HttpAnswer, type HttpHead, headerOf, receive } from './receive.ts'

export type HttpRequest = {
  /** `http` or `https`. Credentials in it are sent as basic authentication. */
  readonly url: string | URL
  readonly method?: 'GET' | 'POST' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Buffer | undefined
  /** Limit of the response, also after decompression. */
  readonly bytesMax: number
  /** Time limit of the whole exchange: connection, headers and body. */
  readonly timeoutMs: number
  readonly signal?: StopSignal | undefined
  /** Connections of one's own, for example with client certificates. */
  readonly dispatcher?: Dispatcher | undefined
  /** Called with each part of the body as it arrives, before decompression, also of one that is too large or cut off. */
  readonly onData?: ((chunk: Buffer) => void) | undefined
}

/** Failed exchange. The message continues a sentence about the server and contains no address and no secret. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const
  readonly failure: 'timeout' | 'too_large' | 'unreachable'
  /** Code of Node or undici, such as ECONNREFUSED. */
  readonly code: string
  /** Status and headers, if they had arrived. */
  readonly head: HttpHead | undefined

  constructor(options: Pick<HttpError, 'failure' | 'code' | 'head' | 'message' | 'cause'>) {
    super(options.message, { cause: options.cause })
    this.failure = options.failure
    this.code = options.code
    this.head = options.head
  }
}

// Exchanges have their own deadline. Idle connections do not keep the process running.
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

/**
 * Sends a request and reads the response, within a time limit and a size limit that both destroy the connection. Follows no
 * redirects and uses no proxy. Throws `HttpError`, or the signal's reason.
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const { bytesMax, timeoutMs, signal, dispatcher = agent, onData } = request
  signal?.throwIfAborted()
  const each = createAbort()
  let head: HttpHead | undefined
  const onHead = (received: HttpHead) => {
    head = received
  }
  let end = () => {}
  // Also while the request waits for a connection.
  const ended = new Promise<never>((_, reject) => {
    end = () => {
      reject(new Error('ended'))
      each.abort()
    }
  })
  const timer = setTimeout(() => end(), timeoutMs)
  const onAbort = () => end()
  signal?.addEventListener('abort', onAbort)
  const received = receive(dispatcher, { ...target(request), bytesMax, signal: each.signal, onHead, onData })
  try {
    return await Promise.race([received.then((answer) => decompress(answer, bytesMax)), ended])
  } catch (error) {
    signal?.throwIfAborted()
    throw toHttpError(error, { head, timeoutMs, bytesMax, isTimeout: each.signal.aborted })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

// Some providers refuse requests without a user agent.
const ownHeaders = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'tallystick' }

function target({ url, method = 'GET', headers, body }: HttpRequest) {
  const { origin, pathname, search, username, password } = new URL(url)
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const sent = { ...ownHeaders, ...authorization, ...Object.fromEntries(given) }
  return { origin, path: pathname + search, method, headers: sent, body }
}

const unzip = promisify(gunzip)

async function decompress(answer: HttpAnswer, bytesMax: number): Promise<HttpAnswer> {
  if (!/^(x-)?gzip$/i.test(headerOf(answer, 'content-encoding') ?? '') || answer.bytes.length === 0) return answer
  return { ...answer, bytes: await unzip(answer.bytes, { maxOutputLength: bytesMax }) }
}

// Names that operators know.
const commonCodes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
}
const tooLarge = /^(UND_ERR_RES_EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE)$/

type Ended = Pick<HttpRequest, 'timeoutMs' | 'bytesMax'> & Pick<HttpError, 'head'> & { readonly isTimeout: boolean }

function toHttpError(cause: unknown, { head, timeoutMs, bytesMax, isTimeout }: Ended): HttpError {
  const found = codeOf(cause) ?? 'connection lost'
  const code = commonCodes[found] ?? found
  const failure = isTimeout ? 'timeout' : tooLarge.test(code) ? 'too_large' : 'unreachable'
  const messages = {
    timeout: `did not respond within ${timeoutMs} ms`,
    too_large: `sent more than ${bytesMax} bytes`,
    unreachable: `cannot be reached (${code})`,
  }
  return new HttpError({ failure, code, head, cause, message: messages[failure] })
}
