export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** Result of one check, and what to do if it is not ok. */
export type Check = {
  readonly subject: string
  readonly name: string
  readonly outcome: CheckOutcome
  readonly found: string
  readonly advice?: string | undefined
}

/** Collects the checks of one subject. Finished checks are kept if a later one hangs. */
export type Findings = {
  readonly checks: readonly Check[]
  ok(name: string, found: string): void
  warn(name: string, found: string, advice: string): void
  fail(name: string, found: string, advice: string): void
  skip(name: string, found: string): void
}

export function createFindings(subject: string, redact: (text: string) => string = (text) => text): Findings {
  const checks: Check[] = []
  const add = (outcome: CheckOutcome) => (name: string, found: string, advice?: string) => {
    checks.push({ subject, name, outcome, found: redact(found), ...(advice && { advice: redact(advice) }) })
  }
  return { checks, ok: add('ok'), warn: add('warn'), fail: add('fail'), skip: add('skipped') }
}
