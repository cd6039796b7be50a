/** Faults that the soak injects, with their names in the report. */
export const faultKinds = [
  'replica-kill',
  'postgres-stop',
  'postgres-stall',
  'database-restore',
  'rpc-outage',
  'rpc-drip',
  'rpc-drops-logs',
  'rpc-changes-chain',
  'role-revoked',
  'signer-changed',
  'reorg',
  'upstream-hang',
  'upstream-500',
  'upstream-garbage',
  'upstream-drip',
  'signer-outage',
  'clock-ahead',
  'clock-behind',
  'key-revocation',
  'certificate-change',
  'disk-full',
  'fd-pressure',
  'hostile-queries',
] as const

export type FaultKind = (typeof faultKinds)[number]

export const replicaNames = ['a', 'b'] as const
export type ReplicaName = (typeof replicaNames)[number]

/** Planned fault. Milliseconds count from the start of the load. */
export type PlannedFault = {
  readonly kind: FaultKind
  readonly startMs: number
  readonly endMs: number
  /** Replicas that it affects. A fault of a shared part affects both. */
  readonly replicas: readonly ReplicaName[]
  /** Which of the two variants of the fault. */
  readonly variant: 0 | 1
  /** Boundary that it was planned for, if it must be near one. */
  readonly boundaryMs?: number | undefined
}

/** Injected fault. `endedMs` is undefined while it is active. */
export type InjectedFault = Pick<PlannedFault, 'kind' | 'replicas' | 'variant'> & {
  readonly startedMs: number
  readonly endedMs?: number | undefined
  /** Reason why it could not be injected. It then explains no failure. */
  readonly skipped?: string | undefined
}
