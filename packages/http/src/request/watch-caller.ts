import { createAbort, type StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { FastifyReply } from 'fastify'

/** Creates a signal that aborts when the connection ends before the response is sent. */
export function watchCaller({ raw }: FastifyReply): { readonly gone: StopSignal; readonly forget: () => void } {
  const { signal, abort } = createAbort()
  const onClose = () => abort(new CallerGoneError())
  raw.once('close', onClose)
  return { gone: signal, forget: () => void raw.off('close', onClose) }
}

/** Error of a request whose client has disconnected. It is never sent. */
class CallerGoneError extends TallystickError {
  override readonly name = 'CallerGoneError' as const

  constructor() {
    super({ code: 'request_timeout', message: 'The caller closed the connection.', retryable: true })
  }
}
