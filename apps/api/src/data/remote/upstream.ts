import type { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import type { Metrics } from '../../metrics.ts'
import type { Head, UpstreamFailure } from '../chain-subgraph.ts'
import type { Call, CallOutcome } from './begin-call.ts'
import type { Circuit } from './circuit.ts'
import { itSays } from './classify-errors.ts'
import { createSender, type SenderOptions, type WireQuery } from './create-sender.ts'
import { createCircuitGuard, type ProbeResult } from './guard-circuit.ts'
import { circuitEventOf, failureOf, resultOf } from './judge-call.ts'
import { createCallMetrics } from './remote-metrics.ts'
import type { UpstreamStatus } from './upstream-status.ts'

/** One URL of a chain's subgraph. */
export type Upstream = {
  /** Whether callers' queries may be sent to it now. */
  readonly isUsable: boolean
  readonly isBehind: boolean
  /** `attempt` counts the upstreams asked for one query, from 1. */
  begin(query: WireQuery, attempt: number): Call
  isTooOld(head: Head | undefined): boolean
  status(): UpstreamStatus
  close(): Promise<void>
}

export type UpstreamOptions = Omit<SenderOptions, 'answerBytesMax'> & {
  readonly chainId: number
  /** For people and metrics: nothing of the URL that may be a secret. */
  readonly label: string
  readonly settings: {
    readonly timeoutMs: number
    readonly maxLagSeconds: number
    readonly answerBytesMax: number
  }
  readonly log: Logger
  readonly metrics: Metrics
  /** Is told of every head an answer carried, and when that answer was asked for. */
  readonly onHead: (head: Head, askedAtMs: number) => void
}

/** What is asked when only the head is wanted: to see whether an upstream is well, and where it stands. */
export const lightQuery: WireQuery = {
  body: Buffer.from(JSON.stringify({ query: '{ _meta { block { number hash timestamp } } }' })),
  headAlias: '_meta',
  isUrgent: true,
  operationName: undefined,
}
// More than a light query takes on a loaded server; one that needs longer would not get a caller's done in time.
export const lightTimeoutMs = 5_000

// An index that is behind catches up in minutes; asking it first again twice a minute finds out.
const behindMs = 30_000

export function createUpstream(options: UpstreamOptions): Upstream {
  const { chainId, label, settings, now, monotonicNow } = options
  const { answerBytesMax, maxLagSeconds, timeoutMs } = settings
  const log = options.log.child({ chain: chainId, upstream: label })
  const callMetrics = createCallMetrics(options.metrics, { chain: chainId, upstream: label })
  const sender = createSender({ ...options, answerBytesMax })
  let lastFailure: UpstreamFailure | undefined
  let head: Head | undefined
  let behindUntilMs = Number.NEGATIVE_INFINITY

  const isBehind = () => monotonicNow() < behindUntilMs
  const isTooOld: Upstream['isTooOld'] = (seen) =>
    seen?.timestamp !== undefined && now() / 1000 - seen.timestamp > maxLagSeconds
  const take = (outcome: CallOutcome, startedMs: number) => {
    callMetrics.record({ result: resultOf(outcome), durationMs: monotonicNow() - startedMs })
    if (outcome.kind === 'failed') lastFailure = failureOf(outcome.error) ?? lastFailure
    if (outcome.kind !== 'answered' || !outcome.answer.head) return
    head = outcome.answer.head
    behindUntilMs = isTooOld(head) ? monotonicNow() + behindMs : Number.NEGATIVE_INFINITY
    options.onHead(head, startedMs)
  }
  const begin = (query: WireQuery, onOutcome: (outcome: CallOutcome, durationMs: number) => void): Call => {
    const startedMs = monotonicNow()
    const call = sender.begin(query)
    const outcome = call.outcome.then((outcome) => {
      take(outcome, startedMs)
      onOutcome(outcome, monotonicNow() - startedMs)
      return outcome
    })
    return withOutcome(call, outcome)
  }
  const probeTimeoutMs = Math.min(timeoutMs, lightTimeoutMs)
  const guard = createCircuitGuard({
    probe: () => probe(() => begin(lightQuery, () => undefined), probeTimeoutMs),
    onChange: (change) => logCircuit(log, { ...change, failure: lastFailure }),
    monotonicNow,
  })
  return {
    get isUsable() {
      return guard.circuit.state === 'closed'
    },
    get isBehind() {
      return isBehind()
    },
    begin: (query, attempt) =>
      begin(query, (outcome, durationMs) => {
        if (outcome.kind === 'failed') logFailure(log, { error: outcome.error, durationMs, query, attempt })
        const event = circuitEventOf(outcome)
        if (event) guard.tell(event)
      }),
    isTooOld,
    status: () => {
      const { state: circuit } = guard.circuit
      return { upstream: label, circuit, restMs: guard.restMs, lastFailure, head, isBehind: isBehind() }
    },
    close: async () => {
      guard.close()
      await sender.close()
    },
  }
}

function withOutcome(call: Call, outcome: Call['outcome']): Call {
  return {
    outcome,
    get phase() {
      return call.phase
    },
    end: call.end,
  }
}

async function probe(begin: () => Call, timeoutMs: number): Promise<ProbeResult> {
  const call = begin()
  const timer = setTimeout(() => call.end('slow'), timeoutMs)
  const event = circuitEventOf(await call.outcome)
  clearTimeout(timer)
  if (event?.kind === 'sent_away') return { isWell: false, forMs: event.forMs }
  return event?.kind === 'failed' ? { isWell: false, forMs: undefined } : { isWell: true }
}

function logFailure(
  log: Logger,
  {
    error,
    durationMs,
    query,
    attempt,
  }: {
    readonly error: TallystickError
    readonly durationMs: number
    readonly query: WireQuery
    readonly attempt: number
  },
): void {
  const failure = failureOf(error)
  if (!failure) return
  const operationName = query.operationName?.slice(0, 100)
  // What the upstream says may repeat parts of the query.
  const [problem] = error.message.split(itSays)
  log.warn({ failure, problem, durationMs: Math.round(durationMs), operationName, attempt }, 'a remote subgraph failed')
}

function logCircuit(
  log: Logger,
  {
    before,
    after,
    failure,
  }: { readonly before: Circuit; readonly after: Circuit; readonly failure: UpstreamFailure | undefined },
): void {
  if (before.state === 'closed') {
    log.warn({ failure }, 'a remote subgraph is not asked any more until it answers a light query')
  }
  if (after.state === 'closed') log.info({}, 'a remote subgraph is well again')
}
