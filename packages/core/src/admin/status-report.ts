import type { Finding } from '../health/finding.ts'

/** What a running service knows about itself. */
export type StatusReport = {
  readonly now: string
  /** As `GET /readyz`. */
  readonly ready: boolean
  /** Whether notes are served while something else is wrong. Absent in reports of earlier versions. */
  readonly degraded?: boolean | undefined
  /** What is wrong, each with a remedy. Warnings come last. */
  readonly findings: readonly Finding[]
  readonly period: string
  readonly nextPeriod: string
  /** The boundary between the two periods. */
  readonly boundary: string
  readonly chains: readonly ChainStatus[]
}

export type ChainStatus = {
  readonly chainId: number
  readonly name: string
  /** Notes that are served now. */
  readonly notes: number
  /** Whether the next period is signed and in memory. */
  readonly isNextSigned: boolean
  /** Whether the pool accepts the notes, as `status` of `GET /rate`. Absent in reports of earlier versions. */
  readonly poolStatus?: 'open' | 'paused' | 'rejecting' | 'unknown' | undefined
  /** Problems of the pool. Null if it is not watched or was not read yet. */
  readonly poolProblems: readonly string[] | null
  /** Source that answers queries now. Null if the chain has no subgraph. */
  readonly index: IndexStatus | null
  /** The other source of a chain that has two, otherwise null. */
  readonly standby: IndexStatus | null
}

export type IndexStatus = {
  readonly kind: 'embedded' | 'remote'
  readonly state: string
  readonly block: number | null
  readonly blockTime: string | null
  /** How far the head of the index is behind the head of the chain. Null if it is not known, as for a remote subgraph. */
  readonly lagBlocks: number | null
  readonly lagSeconds: number | null
  /** Age of the head of the index, by the clock of the service. */
  readonly ageSeconds: number | null
  readonly problem: string | null
}
