import type { FaultKind, InjectedFault, ReplicaName } from '../faults/fault.ts'

const endpoints = ['/notes', '/data', '/rate'] as const
export type Endpoint = (typeof endpoints)[number]

/** Chain with the embedded subgraph, in PostgreSQL. */
export const embeddedChainId = 324
/** Chain with the remote subgraph. */
export const remoteChainId = 300

/** Failed request, or a failed chain of one. Milliseconds count from the start of the load. */
export type Failure = {
  readonly replica: ReplicaName
  readonly endpoint: Endpoint
  /** Chain that failed, or undefined if the whole request failed. */
  readonly chain?: number | undefined
  /** `connection`, or status and code such as `502 upstream_failed`. */
  readonly answer: string
  readonly sentMs: number
  readonly receivedMs: number
}

type Explanation = {
  readonly kind: FaultKind
  readonly endpoints: readonly Endpoint[]
  readonly answers: readonly string[]
  /** Restricts it to this chain. */
  readonly chain?: number
  /** Restricts it to this variant of the fault. */
  readonly variant?: 0 | 1
  /** Time after its end during which it may still have effects. */
  readonly graceMs: number
}

const noUpstream = ['502 upstream_failed', '504 upstream_timeout'] as const
/** Answer of `/notes` without notes. */
export const notesUnavailable = '500 notes_unavailable'
const noNotes = [notesUnavailable] as const
const repairMs = 90_000
const poolCheckMs = 40_000
// A circuit is open for up to 15 s, and a pending query may take its full timeout.
const circuitGraceMs = 21_000

function upstream(kind: FaultKind): Explanation {
  return { kind, endpoints: ['/data'], answers: noUpstream, chain: remoteChainId, graceMs: circuitGraceMs }
}

/**
 * Failures that each fault explains, as narrow as docs/operating/incidents.md describes. Other faults explain no failure: an RPC
 * outage, a reorg, a revoked key, a new certificate and hostile clients must not fail any request. `/notes` may otherwise fail
 * only because of missing signatures (`hadChanceToSign`) or a clock in the wrong period. `/rate` must never fail.
 */
const explanations: readonly Explanation[] = [
  // Keep-alive connections fail one by one.
  { kind: 'replica-kill', endpoints, answers: ['connection'], graceMs: 2_000 },
  // Notes and keys in memory are still served, but not the index in the database.
  { kind: 'postgres-stop', endpoints: ['/data'], answers: noUpstream, chain: embeddedChainId, graceMs: 3_000 },
  // A query waits for its full timeout, and the connections that were opened meanwhile for theirs.
  { kind: 'postgres-stall', endpoints: ['/data'], answers: noUpstream, chain: embeddedChainId, graceMs: 6_000 },
  // Copy and restore stop the database for a while. Then the index follows the chain from the restored block.
  { kind: 'database-restore', endpoints: ['/data'], answers: noUpstream, chain: embeddedChainId, graceMs: 3_000 },
  // In variant 1 both replicas are killed.
  { kind: 'database-restore', variant: 1, endpoints, answers: ['connection'], graceMs: 2_000 },
  // The index keeps what it has, or says plainly that it cannot be read until it is repaired.
  { kind: 'rpc-drops-logs', endpoints: ['/data'], answers: noUpstream, graceMs: repairMs },
  { kind: 'rpc-changes-chain', endpoints: ['/data'], answers: noUpstream, graceMs: repairMs },
  // Notes that the pool rejects are withheld. Pools are checked every 15 s, and roles too while one is missing.
  { kind: 'signer-changed', variant: 0, endpoints: ['/notes'], answers: noNotes, graceMs: poolCheckMs },
  {
    ...{ kind: 'signer-changed', variant: 1, chain: remoteChainId },
    ...{ endpoints: ['/notes'], answers: noNotes, graceMs: poolCheckMs },
  },
  { kind: 'role-revoked', endpoints: ['/notes'], answers: noNotes, graceMs: poolCheckMs },
  upstream('upstream-hang'),
  upstream('upstream-500'),
  upstream('upstream-garbage'),
  upstream('upstream-drip'),
  upstream('disk-full'),
  // Without descriptors the replica can neither accept nor open connections.
  { kind: 'fd-pressure', endpoints, answers: ['connection'], graceMs: 1_000 },
  { kind: 'fd-pressure', endpoints: ['/data'], answers: noUpstream, graceMs: circuitGraceMs },
]

/** Returns whether a fault that was active during the request explains its failure. */
export function isExplained(failure: Failure, faults: readonly InjectedFault[]): boolean {
  return faults.some(
    (fault) =>
      fault.skipped === undefined &&
      fault.replicas.includes(failure.replica) &&
      explanations.some((explanation) => explanation.kind === fault.kind && covers(explanation, { failure, fault })),
  )
}

function covers(
  { endpoints, answers, chain, variant, graceMs }: Explanation,
  { failure, fault }: { readonly failure: Failure; readonly fault: InjectedFault },
): boolean {
  const overlaps =
    failure.receivedMs >= fault.startedMs && failure.sentMs <= (fault.endedMs ?? Number.POSITIVE_INFINITY) + graceMs
  const matchesChain = chain === undefined || failure.chain === undefined || failure.chain === chain
  const matchesVariant = variant === undefined || variant === fault.variant
  return (
    overlaps &&
    matchesChain &&
    matchesVariant &&
    endpoints.includes(failure.endpoint) &&
    answers.includes(failure.answer)
  )
}

// A failed attempt is retried after at most 15 s. The rest is for signing and storing on a busy machine.
const chanceMs = 20_000

/**
 * Returns whether a replica had enough time to get the notes of a period: a stretch without a fault that prevents signing,
 * long enough for the slowest retry.
 */
export function hadChanceToSign(
  faults: readonly InjectedFault[],
  { replica, sinceMs, untilMs }: { readonly replica: ReplicaName; readonly sinceMs: number; readonly untilMs: number },
): boolean {
  const blocks = faults
    .filter((fault) => fault.skipped === undefined && blocksSigning.has(fault.kind) && fault.replicas.includes(replica))
    .sort((a, b) => a.startedMs - b.startedMs)
  let freeFromMs = sinceMs
  for (const { startedMs, endedMs = Number.POSITIVE_INFINITY } of blocks) {
    if (Math.min(startedMs, untilMs) - freeFromMs >= chanceMs) return true
    freeFromMs = Math.max(freeFromMs, endedMs)
  }
  return untilMs - freeFromMs >= chanceMs
}

// A replica does not sign while its clock differs from the chain's or the database's, or while its database is older than
// its journal. A preflight asks the pool through the chain's endpoint.
const blocksSigning: ReadonlySet<FaultKind> = new Set([
  'signer-outage',
  'postgres-stop',
  'postgres-stall',
  'replica-kill',
  'fd-pressure',
  'clock-ahead',
  'clock-behind',
  'database-restore',
  'rpc-changes-chain',
  'role-revoked',
  'signer-changed',
])
