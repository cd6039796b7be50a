import { MissingTileError, WrongTileError } from '@tallystick/tlog'
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

/** Throws the error of the SDK for one of the log's reader. */
export function throwLogError(error: unknown): never {
  if (error instanceof MissingTileError) throw incomplete(error.message)
  if (error instanceof WrongTileError) throw invalid(error.message)
  throw error
}

/** Returns the error of a log that lacks a part. A copy may get it later. */
export function incomplete(problem: string): LogError {
  const message = `${problem} Try again later, or use another copy of the log.`
  return new LogError({ code: 'log_incomplete', message, retryable: true })
}

/** Returns the error of a log with a wrong signature or hash. */
export function invalid(problem: string): LogError {
  const message = `${problem} Do not use the notes before the operator has explained it.`
  return new LogError({ code: 'log_invalid', message, retryable: false })
}

/** Returns the error of a log that does not continue a checkpoint. Both checkpoints are evidence. */
export function forked(
  problem: string,
  evidence: { readonly known: string; readonly shown: string; readonly retryable: boolean },
): LogError {
  const { known, shown, retryable } = evidence
  const message = `${problem} Do not use the notes, and publish both checkpoints, which are in details.`
  return new LogError({ code: 'log_forked', message, details: { known, shown }, retryable })
}
