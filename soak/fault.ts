/** Everything the soak does to the service, in the words of its report. */
export const faultKinds = [
  'replica-kill',
  'postgres-stop',
  'database-restore',
  'rpc-outage',
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

/** Milliseconds are counted from the beginning of the load. */
export type PlannedFault = {
  readonly kind: FaultKind
  readonly startMs: number
  readonly endMs: number
  /** The replicas it hits; what they share hits both. */
  readonly replicas: readonly ReplicaName[]
  /** Which of the two ways there are of doing it. */
  readonly variant: 0 | 1
  /** The boundary it was planned for, where it means something only at one. */
  readonly boundaryMs?: number | undefined
}

/** A fault as it happened. `endedMs` is undefined while it lasts. */
export type InjectedFault = Pick<PlannedFault, 'kind' | 'replicas' | 'variant'> & {
  readonly startedMs: number
  readonly endedMs?: number | undefined
  /** Why it could not be injected; it then explains nothing. */
  readonly skipped?: string | undefined
}
