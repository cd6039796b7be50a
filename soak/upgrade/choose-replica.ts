import { type ReplicaName, replicaNames } from '../faults/fault.ts'

/** Chooses one of the ready replicas, or one of all if none is. */
export function chooseReplica(ready: ReadonlySet<ReplicaName>, draw: number): ReplicaName {
  const candidates = ready.size === 0 ? replicaNames : replicaNames.filter((name) => ready.has(name))
  return candidates[Math.floor(draw * candidates.length)] as ReplicaName
}
