import type { Finding } from '@tallystick/core'

/** A finding of the doctor: a subject has several checks, each with its name. */
export type NamedFinding = Finding & { readonly name: string }

/** Collects the findings of one subject. Those of finished checks are kept if a later one hangs. */
export type Findings = {
  readonly list: readonly NamedFinding[]
  ok(name: string, message: string): void
  warn(name: string, message: string, remedy: string): void
  fail(name: string, message: string, remedy: string): void
  skip(name: string, message: string): void
  /** Adds findings whose subject is the name of a check. */
  add(findings: readonly Finding[]): void
}

export function createFindings(subject: string, redact: (text: string) => string = (text) => text): Findings {
  const list: NamedFinding[] = []
  const add = ({ subject: name, severity, message, remedy }: Finding) => {
    list.push({ subject, name, severity, message: redact(message), ...(remedy && { remedy: redact(remedy) }) })
  }
  return {
    list,
    ok: (name, message) => add({ subject: name, severity: 'ok', message }),
    warn: (name, message, remedy) => add({ subject: name, severity: 'warn', message, remedy }),
    fail: (name, message, remedy) => add({ subject: name, severity: 'fail', message, remedy }),
    skip: (name, message) => add({ subject: name, severity: 'skipped', message }),
    add: (findings) => findings.forEach(add),
  }
}
