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
  const result = (async () => {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CheckTimeoutError()), subjectTimeoutMs)
    })
    try {
      return await Promise.race([Promise.resolve(work(findings)), timeout])
    } catch (error) {
      findings.fail('examination', describeError(error), 'The remaining checks of this subject did not run.')
      return undefined
    } finally {
      clearTimeout(timer)
    }
  })()
  return { result, findings: result.then(() => findings.list) }
}

function describeError(error: unknown): string {
  if (error instanceof TallystickError || error instanceof ChainError || error instanceof RpcError) return error.message
  if (error instanceof CheckTimeoutError) return error.message
  return `it failed with an error: ${error instanceof Error ? error.message : String(error)}`
}

class CheckTimeoutError extends Error {
  override readonly name = 'CheckTimeoutError' as const

  constructor() {
    super(`it did not finish within ${subjectTimeoutMs / 1000} s`)
  }
}
