import type { WireNote } from '../wire/notes-response.ts'
import type { CurveView } from './curve-report.ts'

export type PeriodReport = {
  readonly period: string
  readonly start: string
  readonly end: string
  readonly signed: boolean
  readonly signer: string | null
  readonly issuedAt: string | null
  /** Curve of the coupons. */
  readonly curve: CurveView | null
  /** Why signing failed, or why signed notes are withheld. */
  readonly refusal: RefusalReport | null
}

/** Times of a note, ISO 8601 in UTC, null after the year 9999. The wire format has them as Unix seconds. */
export type NoteTimes = {
  readonly maturity: string | null
  readonly started: string | null
  readonly validAfter: string | null
  readonly validBefore: string | null
}

/** Notes on offer now, and the state of the next period. */
export type NotesReport = {
  readonly now: string
  readonly chains: readonly {
    readonly chainId: number
    readonly name: string
    readonly current: PeriodReport & {
      readonly notes: readonly (WireNote & { readonly tenorDays: number; readonly times: NoteTimes })[]
    }
    /** Without the notes, which stay secret until their period starts. */
    readonly next: PeriodReport
  }[]
  /** Sets that a wrong clock signed too early, each with the command that discards it. */
  readonly rogue: readonly RogueReport[]
}

export type RogueReport = {
  readonly chainId: number
  readonly period: string
  readonly start: string
  readonly issuedAt: string
  readonly command: string
}

export type RefusalReport = { readonly reason: string; readonly message: string }
