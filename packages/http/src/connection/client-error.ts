import type { Socket } from 'node:net'
import { type ErrorCode, TallystickError } from '@tallystick/core'
import { errorBody, statusOf } from '../response/errors.ts'
import { endConnection } from './end-connection.ts'

type ClientErrorHandlerOptions = {
  readonly nextRequestId: () => string
  readonly date: () => string
}

/**
 * Creates the handler that responds to connections without a valid request: malformed HTTP, headers too large or too
 * slow. Fastify does not see these.
 */
export function createClientErrorHandler({ nextRequestId, date }: ClientErrorHandlerOptions) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [code, reason, message] = describe(error.code)
    const requestId = nextRequestId()
    const body = JSON.stringify(
      errorBody(new TallystickError({ code, message, retryable: code === 'request_timeout' }), requestId),
    )
    endConnection(
      socket,
      [
        `HTTP/1.1 ${statusOf(code)} ${reason}`,
        `date: ${date()}`,
        `x-request-id: ${requestId}`,
        'cache-control: no-store',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
}

function describe(code: string | undefined): [ErrorCode, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [
      'headers_too_large',
      'Request Header Fields Too Large',
      'The headers are too large. Send fewer or shorter ones.',
    ]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['request_timeout', 'Request Timeout', 'The request did not arrive in time.']
  }
  return ['invalid_request', 'Bad Request', 'This is not a well-formed HTTP request.']
}
