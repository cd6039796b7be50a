import { backoffMs } from '@tallystick/base/pure'
import { exchange, findJson, HttpError, type HttpHead, headerOf } from '@tallystick/chain'
import { checkpointBytesMax, type LogResource } from '@tallystick/tlog'

/** A resource of a log. If it does not exist, `code` is the service's error code, if it sent one. */
type MonitoredResource = LogResource & { readonly code?: string | undefined }

/** Reads a log. Throws `LogUnreachableError`. */
export type MonitoredSource = { read(path: string, bytesMax: number): Promise<MonitoredResource> }

export type LogSourceOptions = {
  /** URL of the service or of the log. */
  readonly url: string
  readonly signal: AbortSignal
  readonly pause: (ms: number) => Promise<void>
  /** 10 s by default. */
  readonly timeoutMs?: number | undefined
}

/** The log does not respond as a log does. That proves nothing. */
export class LogUnreachableError extends Error {
  override readonly name = 'LogUnreachableError' as const
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}

const timeoutMsDefault = 10_000
// A first read of many years sends more requests than a service allows in a minute. It waits as long as it is told to.
const attemptsMax = 4
const retryMs = { minMs: 250, maxMs: 60_000 }

/** Creates a reader of a log over HTTP. It follows no redirects, and reads no more than a resource can have. */
export function createLogSource(options: LogSourceOptions): MonitoredSource {
  const { signal, pause, timeoutMs = timeoutMsDefault } = options
  let baseUrl: string | undefined
  const readRetrying = async (url: string, bytesMax: number) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request(url, { signal, timeoutMs, bytesMax })
      } catch (error) {
        if (!(error instanceof LogUnreachableError) || attempt + 1 >= attemptsMax || signal.aborted) throw error
        await pause(Math.min(error.retryAfterMs ?? backoffMs(attempt, retryMs), retryMs.maxMs))
      }
    }
  }
  const findBase = async (): Promise<string> => {
    const url = options.url.replace(/\/+$/, '')
    if (url.endsWith('/log')) return url
    const { bytes } = await readRetrying(`${url}/log/checkpoint`, checkpointBytesMax)
    return bytes ? `${url}/log` : url
  }
  return {
    read: async (path, bytesMax) => {
      baseUrl ??= await findBase()
      return readRetrying(`${baseUrl}/${path}`, bytesMax)
    },
  }
}

const errorBytesMax = 16_384
// The service answers 400 for a chain that it no longer supports. Buckets answer 403 for a file that does not exist.
const absentStatuses: readonly number[] = [400, 403, 404, 410]

type Limits = { readonly signal: AbortSignal; readonly timeoutMs: number; readonly bytesMax: number }

async function request(url: string, { signal, timeoutMs, bytesMax }: Limits): Promise<MonitoredResource> {
  const headers = { 'user-agent': 'tallystick-monitor' }
  try {
    const answer = await exchange({ url, headers, signal, timeoutMs, bytesMax: Math.max(bytesMax, errorBytesMax) })
    if (absentStatuses.includes(answer.status)) return toAbsent(parseCode(answer.bytes))
    if (answer.status !== 200) throw toStatusError(answer)
    if (answer.bytes.length > bytesMax) throw new LogUnreachableError(`The log sent more than ${bytesMax} bytes.`)
    return { bytes: answer.bytes }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { head, message } = error
    if (head && head.status !== 200) throw toStatusError(head)
    throw new LogUnreachableError(`The log ${message}.`, { cause: error })
  }
}

function toAbsent(code: string | undefined): MonitoredResource {
  return { code, isWithheld: code === 'log_entries_withheld' }
}

function toStatusError(head: HttpHead): LogUnreachableError {
  const { status } = head
  if (status >= 300 && status < 400) {
    return new LogUnreachableError(`The log responded with a redirect (${status}). Give its new URL.`)
  }
  const seconds = Number(headerOf(head, 'retry-after') ?? Number.NaN)
  const wait = Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {}
  return new LogUnreachableError(`The log responded with status ${status}.`, wait)
}

function parseCode(body: Buffer): string | undefined {
  const { code } = (findJson(body.toString()) ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}
