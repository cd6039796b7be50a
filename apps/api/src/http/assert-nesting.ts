import { TallystickError } from '@tallystick/core'

// An embedded subgraph reads variables of up to 51 levels. What is deeper fills the stack of whatever walks over it.
const levelsMax = 60

/** Refuses JSON that is nested so deep that code which calls itself for each level would fail on it. */
export function assertBodyNesting(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const parts = Array.isArray(body) ? [['The body', body] as const] : Object.entries(body).map(nameMember)
  for (const [what, value] of parts) assertNesting(what, value)
}

/** The same for a value that did not come in a body. `what` names it in the message. */
export function assertNesting(what: string, value: unknown): void {
  if (!isDeeper(value, levelsMax)) return
  throw new TallystickError({
    code: 'invalid_request',
    message: `${what} is nested deeper than ${levelsMax} levels. Send a flatter value.`,
    retryable: false,
  })
}

function nameMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [`"${name.slice(0, 40)}"`, value]
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
