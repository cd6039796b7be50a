import { TallystickError } from '@tallystick/core'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Hook that throws `unsupported_media_type` if a body is declared to be in another encoding than UTF-8. */
export function assertUtf8({ headers }: FastifyRequest, _: FastifyReply, done: () => void): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new TallystickError({
      code: 'unsupported_media_type',
      message: 'Send the body as application/json in UTF-8.',
      retryable: false,
    })
  }
  done()
}
