import type { Socket } from 'node:net'
import { TallystickError } from '@tallystick/core'
import { refusal } from '../response/errors.ts'
import { formatRawError } from '../response/raw-error.ts'
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
    endConnection(socket, formatRawError(describe(error.code), { requestId: nextRequestId(), date: date() }))
  }
}

function describe(code: string | undefined): TallystickError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return refusal('headers_too_large', 'The headers are too large. Send fewer or shorter ones.')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new TallystickError({
      code: 'request_timeout',
      message: 'The request did not arrive in time.',
      retryable: true,
    })
  }
  return refusal('invalid_request', 'This is not a well-formed HTTP request.')
}
