import type { Metrics } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import type { Head, UpstreamFailure } from '../chain-subgraph.ts'
import { type Call, type CallOutcome, failureOf, observeCall, resultOf } from './begin-call.ts'
import { createCircuitGuard } from './circuit-guard.ts'
import { upstreamMessagePrefix } from './classify-errors.ts'
import { createSender, type SenderOptions, type WireQuery } from './create-sender.ts'
import type { Upstream } from './query-upstreams.ts'
import { createCallMetrics, type UpstreamStatus } from './remote-metrics.ts'

/** One URL of a chain's subgraph. */
export type RemoteUpstream = Upstream<WireQuery> & {
  status(): UpstreamStatus
  close(): Promise<void>
}

export type DataSettings = {
  /** Time limit of a whole request, slowest chain included. */
  readonly timeoutMs: number
  /** Delay after which the next URL is queried as well. Null is never. */
  readonly hedgeMs: number | null
  /** Greatest age of a remote subgraph's known head for a cached answer to be used. */
  readonly pollMs: number
  /** A URL that lags more is used only if no other is available. */
  readonly maxLagSeconds: number
  /** Largest answer accepted from an upstream. */
  readonly answerBytesMax: number
}

export type UpstreamOptions = Omit<SenderOptions, 'answerBytesMax'> & {
  readonly chainId: number
  /** Name in logs and metrics, without the secret parts of the URL. */
  readonly label: string
  readonly settings: DataSettings
  readonly log: Logger
  readonly metrics: Metrics
  /** Called with the head of every answer and the time its query was sent. */
  readonly onHead: (head: Head, sentAtMs: number) => void
}

/** Query of the head alone, for health probes and head polls. */
export const headQuery: WireQuery = {
  body: Buffer.from(JSON.stringify({ query: '{ _meta { block { number hash timestamp } } }' })),
  headAlias: '_meta',
  isUrgent: true,
  operationName: undefined,
}

// An index that is behind catches up in minutes. After 30 s it is preferred again.
const behindMs = 30_000

export function createUpstream(options: UpstreamOptions): RemoteUpstream {
  const { chainId, url, label, headers, ca, settings, time, onHead } = options
  const { answerBytesMax, maxLagSeconds, timeoutMs } = settings
  const log = options.log.child({ chain: chainId, upstream: label })
  const callMetrics = createCallMetrics(options.metrics, { chain: chainId, upstream: label })
  const sender = createSender({ url, headers, answerBytesMax, ca, time })
  let lastFailure: UpstreamFailure | undefined
  let head: Head | undefined
  let behindUntilMs = Number.NEGATIVE_INFINITY

  const isBehind = () => time.monotonic() < behindUntilMs
  const isTooOld: RemoteUpstream['isTooOld'] = (seen) =>
    seen?.timestamp !== undefined && time.now() / 1000 - seen.timestamp > maxLagSeconds
  const record = (outcome: CallOutcome, startedMs: number) => {
    callMetrics.seconds.observe((time.monotonic() - startedMs) / 1000)
    callMetrics.counts.get(resultOf(outcome))?.increment()
    if (outcome.kind === 'failed') lastFailure = failureOf(outcome.error) ?? lastFailure
    if (outcome.kind !== 'answered' || !outcome.answer.head) return
    head = outcome.answer.head
    behindUntilMs = isTooOld(head) ? time.monotonic() + behindMs : Number.NEGATIVE_INFINITY
    onHead(head, startedMs)
  }
  const begin = (query: WireQuery, onOutcome: (outcome: CallOutcome, durationMs: number) => void): Call => {
    const startedMs = time.monotonic()
    return observeCall(sender.begin(query), (outcome) => {
      record(outcome, startedMs)
      onOutcome(outcome, time.monotonic() - startedMs)
    })
  }
  const guard = createCircuitGuard({
    beginProbe: () => begin(headQuery, () => undefined),
    timeoutMs,
    onChange: ({ before, after }) => {
      if (before.state === 'closed')
        log.warn({ failure: lastFailure }, 'remote subgraph circuit opened until a probe succeeds')
      if (after.state === 'closed') log.info({}, 'remote subgraph recovered')
    },
    time,
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
        guard.record(outcome)
      }),
    isTooOld,
    status: () => {
      const { state: circuit } = guard.circuit
      return { upstream: label, circuit, openForMs: guard.openForMs, lastFailure, head, isBehind: isBehind() }
    },
    close: async () => {
      guard.close()
      await sender.close()
    },
  }
}

type FailedCall = {
  readonly error: TallystickError
  readonly durationMs: number
  readonly query: WireQuery
  readonly attempt: number
}

function logFailure(log: Logger, { error, durationMs, query, attempt }: FailedCall): void {
  const failure = failureOf(error)
  if (!failure) return
  const operationName = query.operationName?.slice(0, 100)
  // The upstream's message is not logged, because it may quote parts of the query.
  const [problem] = error.message.split(upstreamMessagePrefix)
  log.warn(
    { failure, problem, durationMs: Math.round(durationMs), operationName, attempt },
    'remote subgraph request failed',
  )
}
