import type { ReplicaName } from './fault.ts'
import type { Span } from './ledger.ts'
import type { Member } from './member.ts'
import type { Offsets } from './offsets.ts'

/** The soak's own time, which is the true one, and the clocks of the processes, which may be stepped away from it. */
export type Clocks = {
  /** True time, Unix milliseconds. */
  now(): number
  /** How far a process's clock is to be from this machine's, and how far the true time is. */
  offsetsOf(name: string): Offsets
  /** Moves the true time, and every clock with it. */
  moveTo(instantMs: number): Promise<void>
  /** Steps the clock of one replica away from the true time, or back with 0. */
  step(name: ReplicaName, stepMs: number): Promise<void>
  /** What the true time may have been, for somebody who is told of it, between two instants of this machine. */
  times(span: Span): readonly Span[]
  /** By how much a replica's clock may have been wrong between two instants of this machine. */
  steps(name: ReplicaName, span: Span): readonly number[]
  /** Whom to tell; given once the processes are there. */
  tell(members: readonly Member[]): void
}

/** A value that was in force from its sending to the confirmation of the next. */
type Term = { readonly value: number; readonly fromMs: number; untilMs: number }

export function createClocks(startsAtMs: number): Clocks {
  let members: readonly Member[] = []
  // In whole seconds, so that chain and service turn their seconds together.
  let sharedMs = toWholeSeconds(startsAtMs - Date.now())
  const stepOf = new Map<string, number>()
  const moves = createTerms(sharedMs)
  const stepTerms = new Map<string, Terms>()
  const termsOf = (name: string) => {
    const known = stepTerms.get(name) ?? createTerms(0)
    stepTerms.set(name, known)
    return known
  }
  const offsetsOf = (name: string) => ({ clockMs: sharedMs + (stepOf.get(name) ?? 0), trueMs: sharedMs })
  return {
    now: () => Date.now() + sharedMs,
    offsetsOf,
    moveTo: async (instantMs) => {
      sharedMs = toWholeSeconds(instantMs - Date.now())
      const confirm = moves.begin(sharedMs)
      await Promise.all(members.map((member) => member.setOffsets(offsetsOf(member.name))))
      confirm()
    },
    step: async (name, stepMs) => {
      stepOf.set(name, stepMs)
      const confirm = termsOf(name).begin(stepMs)
      await members.find((member) => member.name === name)?.setOffsets(offsetsOf(name))
      confirm()
    },
    times: (span) => moves.in(span).map((ms) => ({ fromMs: span.fromMs + ms, toMs: span.toMs + ms })),
    steps: (name, span) => termsOf(name).in(span),
    tell: (told) => {
      members = told
    },
  }
}

type Terms = {
  /** The returned function says that the new value is known and the old one no longer in force. */
  begin(value: number): () => void
  /** The values that were in force in a span. */
  in(span: Span): readonly number[]
}

function createTerms(first: number): Terms {
  const terms: Term[] = [{ value: first, fromMs: 0, untilMs: Number.POSITIVE_INFINITY }]
  return {
    begin: (value) => {
      const last = terms.at(-1) as Term
      terms.push({ value, fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY })
      return () => {
        last.untilMs = Date.now()
      }
    },
    in: ({ fromMs, toMs }) =>
      terms.filter((term) => term.fromMs <= toMs && term.untilMs >= fromMs).map(({ value }) => value),
  }
}

function toWholeSeconds(ms: number): number {
  return Math.round(ms / 1000) * 1000
}
