import { TallystickError } from '@tallystick/core'

// An embedded subgraph reads variables of up to 51 levels. What is deeper fills the stack of whatever walks over it.
const levelsMax = 60

/**
 * Refuses a body that is JSON but would fail further on: nested so deep that code which calls itself for each level has no
 * room, or with half of a character in a text, which PostgreSQL does not take in JSON.
 */
export function assertBody(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const parts = Array.isArray(body) ? [['The body', body] as const] : Object.entries(body).map(nameMember)
  for (const [what, value] of parts) assertJson(what, value)
}

/** The same for a value that did not come in a body. `what` names it in the message. */
export function assertJson(what: string, value: unknown): void {
  const fault = findFault(value, levelsMax)
  if (fault === undefined) return
  throw new TallystickError({ code: 'invalid_request', message: `${what} ${faults[fault]}`, retryable: false })
}

const faults = {
  deep: `is nested deeper than ${levelsMax} levels. Send a flatter value.`,
  half: 'contains an unpaired surrogate. Send well-formed Unicode.',
} as const

function nameMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [JSON.stringify(name.slice(0, 40)), value]
}

function findFault(value: unknown, levels: number): keyof typeof faults | undefined {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? 'half' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return 'deep'
  for (const [name, member] of Object.entries(value)) {
    const fault = findFault(name, levels) ?? findFault(member, levels - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
