import { type FaultKind, faultKinds } from './fault.ts'

const upstreamKinds: readonly FaultKind[] = [
  'upstream-hang',
  'upstream-500',
  'upstream-garbage',
  'upstream-drip',
  'disk-full',
]
// Faults that would hide or prevent each other. All others may overlap.
const exclusive: readonly (readonly FaultKind[])[] = [
  upstreamKinds,
  ['clock-ahead', 'clock-behind'],
  ['rpc-outage', 'rpc-drip', 'rpc-drops-logs', 'rpc-changes-chain', 'signer-changed'],
  // A reorg would undo the administrator’s transactions.
  ['reorg', 'role-revoked'],
  ['reorg', 'signer-changed'],
  // An index that cannot write, or is restored, reads everything again.
  ...(['database-restore', 'disk-full', 'postgres-stop', 'postgres-stall'] as const).flatMap((kind): FaultKind[][] => [
    ['rpc-drops-logs', kind],
    ['rpc-changes-chain', kind],
  ]),
  // A replica with a wrong clock checks the notes of another period.
  ['clock-ahead', 'signer-changed'],
  ['clock-behind', 'signer-changed'],
  ['postgres-stop', 'key-revocation'],
  ['postgres-stall', 'key-revocation'],
  ['replica-kill', 'key-revocation'],
  ['replica-kill', 'fd-pressure'],
  ['certificate-change', 'fd-pressure', 'replica-kill'],
  ['key-revocation', 'fd-pressure'],
  ['clock-ahead', 'database-restore'],
  ['clock-behind', 'database-restore'],
  ['signer-outage', 'database-restore'],
  ['postgres-stop', 'postgres-stall', 'database-restore'],
  ['key-revocation', 'database-restore'],
  ['certificate-change', 'database-restore'],
  ['replica-kill', 'fd-pressure', 'hostile-queries', 'database-restore'],
]

// Each kind with those it must not overlap.
const exclusiveWith: ReadonlyMap<FaultKind, ReadonlySet<FaultKind>> = new Map(
  faultKinds.map((kind) => [kind, new Set([kind, ...exclusive.filter((kinds) => kinds.includes(kind)).flat()])]),
)

/** Returns whether two faults must not overlap. */
export function areExclusive(one: FaultKind, other: FaultKind): boolean {
  return exclusiveWith.get(one)?.has(other) ?? false
}
