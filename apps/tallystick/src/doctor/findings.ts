import type { Finding } from '@tallystick/core'

/** A finding of the doctor: a subject has several checks, each with its name. */
export type NamedFinding = Finding & { readonly name: string }

export type Findings = ReturnType<typeof createFindings>

/** Collects the findings of one subject. Those of finished checks are kept if a later one hangs. */
export function createFindings(subject: string, redact: (text: string) => string = (text) => text) {
  const list: NamedFinding[] = []
  const add = ({ subject: name, severity, message, remedy }: Finding) => {
    list.push({ subject, name, severity, message: redact(message), ...(remedy && { remedy: redact(remedy) }) })
  }
  return {
    list: list as readonly NamedFinding[],
    ok: (name: string, message: string) => add({ subject: name, severity: 'ok', message }),
    warn: (name: string, message: string, remedy: string) => add({ subject: name, severity: 'warn', message, remedy }),
    fail: (name: string, message: string, remedy: string) => add({ subject: name, severity: 'fail', message, remedy }),
    skip: (name: string, message: string) => add({ subject: name, severity: 'skipped', message }),
    /** Adds findings whose subject is the name of a check. */
    add: (findings: readonly Finding[]) => findings.forEach(add),
  }
}
