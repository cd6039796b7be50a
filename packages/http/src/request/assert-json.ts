import { refusal } from '../response/errors.ts'

// An embedded subgraph reads variables of up to 51 levels. Recursion over a much deeper value overflows the stack.
const levelsMax = 60

/**
 * Rejects a JSON body that would fail later: nested too deep for recursive code, or with an unpaired surrogate, which
 * PostgreSQL does not accept in JSON.
 */
export function assertBody(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const parts = Array.isArray(body) ? [['The body', body] as const] : Object.entries(body).map(nameMember)
  for (const [what, value] of parts) assertJson(what, value)
}

/** Rejects such a value from elsewhere. `what` is its name in the message. */
export function assertJson(what: string, value: unknown): void {
  const fault = findFault(value, levelsMax)
  if (fault === undefined) return
  throw refusal('invalid_request', `${what} ${faults[fault]}`)
}

const faults = {
  deep: `is nested deeper than ${levelsMax} levels. Send a flatter value.`,
  surrogate: 'contains an unpaired surrogate. Send well-formed Unicode.',
} as const

function nameMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [JSON.stringify(name.slice(0, 40)), value]
}

function findFault(value: unknown, levels: number): keyof typeof faults | undefined {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? 'surrogate' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return 'deep'
  for (const [name, member] of Object.entries(value)) {
    const fault = findFault(name, levels) ?? findFault(member, levels - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
