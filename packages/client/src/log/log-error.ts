import { ClientError } from '../client-error.ts'

/**
 * Thrown if the public log does not contain a note. Do not use the note. It is retryable if the log has no notes of its
 * period, which an outdated copy of the log may lack. If the log has other notes for its period, it is not retryable:
 * `details.entry` has them.
 *
 * @example
 * const { notes } = await client.notes()
 * const changed = notes.map((note) => ({ ...note, coupon: note.coupon + 1n }))
 * await verifyLogged(changed, { log, key }).catch((error) => error instanceof NotLoggedError) // => true
 */
export class NotLoggedError extends ClientError {
  override readonly name = 'NotLoggedError' as const
}

/**
 * Thrown if the public log cannot be trusted. `log_invalid`: a signature or a hash is wrong. `log_incomplete`: the log lacks
 * a part of what it signed; it is retryable. `log_forked`: the log does not continue the checkpoint of `storage`. Then
 * `details.known` and `details.shown` are both signed checkpoints: publish them. `storage` keeps the known one.
 *
 * @example
 * const { notes } = await client.notes()
 * const logged = await verifyLogged(notes, { log, key }).catch((error) => {
 *   if (error instanceof LogError) console.log(error.code, error.message, error.details)
 *   throw error
 * })
 * logged.length // => 1
 */
export class LogError extends ClientError {
  override readonly name = 'LogError' as const
}
