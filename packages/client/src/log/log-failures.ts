import { MissingTileError, WrongTileError } from '@tallystick/tlog'
import { LogError } from './log-error.ts'

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
