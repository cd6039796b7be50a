import type { FaultKind, InjectedFault, ReplicaName } from './fault.ts'

export const endpoints = ['/notes', '/data', '/rate'] as const
export type Endpoint = (typeof endpoints)[number]

/** The chain whose index the replicas keep themselves, in their PostgreSQL. */
export const embeddedChainId = 324
/** The chain they ask a remote subgraph about. */
export const remoteChainId = 300

/** Something a caller did not want to get. Milliseconds are counted from the beginning of the load. */
export type Failure = {
  readonly replica: ReplicaName
  readonly endpoint: Endpoint
  /** The chain that failed; undefined where the request failed as a whole. */
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
  /** Only what concerns this chain. */
  readonly chain?: number
  /** Only this way of doing it. */
  readonly variant?: 0 | 1
  /** How long after its end it may still be felt. */
  readonly graceMs: number
}

const noUpstream = ['502 upstream_failed', '504 upstream_timeout'] as const
// A circuit rests 15 s at the most, and a query that was under way may take its whole time.
const circuitGraceMs = 21_000

function upstream(kind: FaultKind): Explanation {
  return { kind, endpoints: ['/data'], answers: noUpstream, chain: remoteChainId, graceMs: circuitGraceMs }
}

/**
 * Which fault explains which failure, as narrow as docs/operating.md promises it. What is not here explains nothing: an
 * RPC that is away, a reorg, a revoked key, a new certificate and hostile strangers fail no request, and nothing but
 * missing signatures (`hadChanceToSign`) and a clock that is wrong about the period make `/notes` fail, or `/rate` ever.
 */
export const explanations: readonly Explanation[] = [
  // Connections that were kept open are found dead one by one.
  { kind: 'replica-kill', endpoints, answers: ['connection'], graceMs: 2_000 },
  // "Notes and keys in memory go on being served": the index in the database cannot be.
  { kind: 'postgres-stop', endpoints: ['/data'], answers: noUpstream, chain: embeddedChainId, graceMs: 3_000 },
  // Copying and putting back stop it for a while; then the index follows the chain again from where it was.
  { kind: 'database-restore', endpoints: ['/data'], answers: noUpstream, chain: embeddedChainId, graceMs: 3_000 },
  // In one way of doing it both replicas are killed.
  { kind: 'database-restore', variant: 1, endpoints, answers: ['connection'], graceMs: 2_000 },
  upstream('upstream-hang'),
  upstream('upstream-500'),
  upstream('upstream-garbage'),
  upstream('upstream-drip'),
  upstream('disk-full'),
  // Without descriptors there are no new connections, from callers or to anything.
  { kind: 'fd-pressure', endpoints, answers: ['connection'], graceMs: 1_000 },
  { kind: 'fd-pressure', endpoints: ['/data'], answers: noUpstream, graceMs: circuitGraceMs },
]

/** Whether one of the faults that were in force while a request was under way explains its failure. */
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
  const isDuring =
    failure.receivedMs >= fault.startedMs && failure.sentMs <= (fault.endedMs ?? Number.POSITIVE_INFINITY) + graceMs
  const isAbout = chain === undefined || failure.chain === undefined || failure.chain === chain
  const isWay = variant === undefined || variant === fault.variant
  return isDuring && isAbout && isWay && endpoints.includes(failure.endpoint) && answers.includes(failure.answer)
}

// A try that failed is repeated after 15 s at the most; the rest is signing and storing on a busy machine.
const chanceMs = 20_000

/**
 * Whether a replica could have had the notes of a period: since the period came near there was a stretch without anything
 * that keeps it from signing, long enough for the slowest retry.
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

// A clock that differs from the chain's or the database's signs nothing; nor does a replica that finds its database older
// than what it signed.
const blocksSigning: ReadonlySet<FaultKind> = new Set([
  'signer-outage',
  'postgres-stop',
  'replica-kill',
  'fd-pressure',
  'clock-ahead',
  'clock-behind',
  'database-restore',
])
