import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusal } from '../response/errors.ts'

/** Hook that throws `unsupported_media_type` if a body is declared to be in another encoding than UTF-8. */
export function assertUtf8({ headers }: FastifyRequest, _: FastifyReply, done: () => void): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  }
  done()
}
