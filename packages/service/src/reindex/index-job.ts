import type { AuditResult, RebuildStep } from '@tallystick/subgraph'

/** Rebuild or check of an index, for the admin listener and the command line. */
export type IndexJob = {
  readonly id: string
  readonly kind: 'rebuild' | 'check'
  readonly chainId: number
  readonly state: 'running' | 'done' | 'failed'
  readonly startedAt: string
  readonly finishedAt: string | null
  /** Block that a rebuild starts at. */
  readonly from: number | null
  readonly step: RebuildStep
  /** Head of the new index, and of the chain. */
  readonly block: number | null
  readonly chainHead: number | null
  /** Positions that were compared with the chain, and those that there are. */
  readonly compared: number | null
  readonly of: number | null
  /** Why a running job does not advance, or why a job failed. */
  readonly problem: string | null
  /** Result of a check. */
  readonly check: IndexCheck | null
}

export type IndexCheck = Pick<AuditResult, 'block' | 'compared'> & {
  /** Number of contradictions. */
  readonly count: number
  /** The first 100. */
  readonly contradictions: readonly string[]
}

export type IndexReport = {
  /** Process that the jobs run in. They end with it. */
  readonly runsIn: 'service' | 'command'
  /** Chains with an embedded index, and the last job of each. */
  readonly chains: readonly { readonly chainId: number; readonly job: IndexJob | null }[]
}

const listedMax = 100

export function toCheck({ block, compared, contradictions }: AuditResult): IndexCheck {
  return { block, compared, count: contradictions.length, contradictions: contradictions.slice(0, listedMax) }
}
