export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** One line of the doctor's: what was looked at, what was found, and what to do if that is wrong. */
export type Check = {
  readonly subject: string
  readonly name: string
  readonly outcome: CheckOutcome
  readonly found: string
  readonly advice?: string | undefined
}

/** Collects the checks of one subject as they are made, so that those made stay when a later one hangs. */
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
