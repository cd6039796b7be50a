import type { FaultKind, InjectedFault, ReplicaName } from '../faults/fault.ts'
import { remoteChainId } from './explain.ts'

// A pool is checked every 15 s, and a rejection again after 2 s. The rest is for a busy machine.
const noticeMs = 35_000

type Span = { readonly fromMs: number; readonly toMs: number }

function overlaps({ startedMs, endedMs = Number.POSITIVE_INFINITY, skipped }: InjectedFault, { fromMs, toMs }: Span) {
  return skipped === undefined && startedMs <= toMs && endedMs >= fromMs
}

/** Returns whether a replica cannot check its pools during a fault, or starts again. */
function isDisturbing({ kind, variant }: InjectedFault): boolean {
  if (kind === 'database-restore') return variant === 1
  return disturbing.has(kind)
}

const disturbing: ReadonlySet<FaultKind> = new Set([
  'replica-kill',
  'postgres-stop',
  'postgres-stall',
  'fd-pressure',
  'rpc-drip',
])

/** Returns a message if notes were served that the pool has rejected for long enough to notice it. */
export function findRejectedNotes(
  { replica, sentMs }: { readonly replica: ReplicaName; readonly sentMs: number },
  { body, faults }: { readonly body: string; readonly faults: readonly InjectedFault[] },
): string | undefined {
  const span = { fromMs: sentMs - noticeMs, toMs: sentMs }
  const ofReplica = faults.filter((fault) => fault.replicas.includes(replica) && overlaps(fault, span))
  const changed = ofReplica.find(({ kind, endedMs }) => kind === 'signer-changed' && endedMs === undefined)
  if (!changed || changed.startedMs > span.fromMs || ofReplica.some(isDisturbing)) return undefined
  const isServed = changed.variant === 0 || body.includes(`"chainid":"${remoteChainId}"`)
  return isServed ? 'notes are served that the pool rejects, because it has another signer' : undefined
}

// A transaction is sent up to this time before the fault is recorded as begun, or mined after its end.
const marginMs = 2_000

/** Returns whether a fault makes the pool reject valid notes at some time of a span, in milliseconds of the load. */
export function isPoolRejecting(faults: readonly InjectedFault[], { fromMs, toMs }: Span): boolean {
  return faults.some(
    (fault) =>
      ['signer-changed', 'role-revoked'].includes(fault.kind) &&
      overlaps(fault, { fromMs: fromMs - marginMs, toMs: toMs + marginMs }),
  )
}
