import type { ReplicaName } from './fault.ts'
import type { Reading } from './ledger.ts'
import type { Member } from './member.ts'

/** The soak's own time, which is the true one, and the clocks of the processes, which may be stepped away from it. */
export type Clocks = {
  /** True time, Unix milliseconds. */
  now(): number
  /** How far a process's clock is to be from this machine's. */
  offsetOf(name: string): number
  /** Moves the true time, and every clock with it. */
  moveTo(instantMs: number): Promise<void>
  /** Steps the clock of one replica away from the true time, or back with 0. */
  step(name: ReplicaName, stepMs: number): Promise<void>
  /** What a replica's clock may have read between two instants of this machine. */
  readings(name: ReplicaName, span: Reading): readonly Reading[]
  /** Whom to tell; given once the processes are there. */
  tell(members: readonly Member[]): void
}

/** An offset that was in force from its sending to the confirmation of the next. */
type Term = { readonly offsetMs: number; readonly fromMs: number; untilMs: number }

export function createClocks(startsAtMs: number): Clocks {
  let members: readonly Member[] = []
  // In whole seconds, so that chain and service turn their seconds together.
  let sharedMs = toWholeSeconds(startsAtMs - Date.now())
  const steps = new Map<string, number>()
  const terms = new Map<string, Term[]>()
  const offsetOf = (name: string) => sharedMs + (steps.get(name) ?? 0)
  const termsOf = (name: string) => {
    const known = terms.get(name) ?? [{ offsetMs: offsetOf(name), fromMs: 0, untilMs: Number.POSITIVE_INFINITY }]
    terms.set(name, known)
    return known
  }
  const spread = async () => {
    await Promise.all(
      members.map(async (member) => {
        const known = termsOf(member.name)
        const current = known.at(-1) as Term
        const offsetMs = offsetOf(member.name)
        if (current.offsetMs === offsetMs) return
        known.push({ offsetMs, fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY })
        await member.setOffset(offsetMs)
        current.untilMs = Date.now()
      }),
    )
  }
  return {
    now: () => Date.now() + sharedMs,
    offsetOf,
    moveTo: async (instantMs) => {
      for (const { name } of members) termsOf(name)
      sharedMs = toWholeSeconds(instantMs - Date.now())
      await spread()
    },
    step: async (name, stepMs) => {
      termsOf(name)
      steps.set(name, stepMs)
      await spread()
    },
    readings: (name, { fromMs, toMs }) =>
      termsOf(name)
        .filter((term) => term.fromMs <= toMs && term.untilMs >= fromMs)
        .map(({ offsetMs }) => ({ fromMs: fromMs + offsetMs, toMs: toMs + offsetMs })),
    tell: (told) => {
      members = told
      for (const { name } of told) termsOf(name)
    },
  }
}

function toWholeSeconds(ms: number): number {
  return Math.round(ms / 1000) * 1000
}
