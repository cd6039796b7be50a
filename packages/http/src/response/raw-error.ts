import { STATUS_CODES } from 'node:http'
import type { TallystickError } from '@tallystick/core'
import { errorBody, statusOf } from './errors.ts'

type RawErrorOptions = {
  readonly requestId: string
  readonly date: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A HEAD request gets the headers only. */
  readonly head?: boolean | undefined
}

/** Formats the whole response to a connection that sent no request that Fastify sees. */
export function formatRawError(error: TallystickError, { requestId, date, headers, head }: RawErrorOptions): string {
  const status = statusOf(error.code)
  const body = JSON.stringify(errorBody(error, requestId))
  const lines = Object.entries({
    date,
    ...headers,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', head ? '' : body].join('\r\n')
}
