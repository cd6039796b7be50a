import { within } from '@tallystick/base'
import { ChainError, RpcError } from '@tallystick/chain'
import { TallystickError } from '@tallystick/core'
import type { Findings, NamedFinding } from './findings.ts'

/** The running checks of a subject. */
export type SubjectRun<Result> = {
  readonly findings: Promise<readonly NamedFinding[]>
  /** Undefined if the checks failed or timed out. */
  readonly result: Promise<Result | undefined>
}

export type StartSubject = <Result>(
  subject: string,
  work: (findings: Findings) => Result | Promise<Result>,
) => SubjectRun<Result>

// Each request has its own timeout. This one limits everything else.
const subjectTimeoutMs = 30_000

/** Runs the checks of a subject. An error or a timeout becomes a failed check, and finished checks are kept. */
export function runSubject<Result>(
  findings: Findings,
  work: (findings: Findings) => Result | Promise<Result>,
): SubjectRun<Result> {
  const fail = (message: string) => {
    findings.fail('examination', message, 'The remaining checks of this subject did not run.')
    return undefined
  }
  const run = async () => work(findings)
  const onLate = () => fail(`it did not finish within ${subjectTimeoutMs / 1000} s`)
  const checked = within(run(), { limitMs: subjectTimeoutMs, onLate })
  const result = checked.catch((error: unknown) => fail(describeError(error)))
  return { result, findings: result.then(() => findings.list) }
}

function describeError(error: unknown): string {
  if (error instanceof TallystickError || error instanceof ChainError || error instanceof RpcError) return error.message
  return `it failed with an error: ${error instanceof Error ? error.message : String(error)}`
}
