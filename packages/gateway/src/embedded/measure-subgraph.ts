import { createLogThrottle, type Metrics, type StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import type { ChainSubgraph } from '../chain-subgraph.ts'
import { deadlineReached } from '../deadline.ts'
import { type CallResult, failureOf } from '../remote/call-result.ts'
import { createCallMetrics } from '../remote/remote-metrics.ts'

/** Adds metrics and throttled failure logs to an embedded subgraph. Remote subgraphs have their own. */
export function measureSubgraph(
  subgraph: ChainSubgraph,
  {
    metrics,
    log,
    monotonicNow,
  }: { readonly metrics: Metrics; readonly log: Logger; readonly monotonicNow: () => number },
): ChainSubgraph {
  const labels = { chain: subgraph.chainId, upstream: 'embedded' }
  const calls = createCallMetrics(metrics, labels)
  // An embedded subgraph has no circuit breaker, so every query fails while the database is unavailable.
  const throttle = createLogThrottle({ monotonicNow })
  return {
    ...subgraph,
    ask: async (query, signal) => {
      const startedMs = monotonicNow()
      let result: CallResult = 'ok'
      try {
        return await subgraph.ask(query, signal)
      } catch (error) {
        result = resultOf(error, signal)
        const durationMs = Math.round(monotonicNow() - startedMs)
        const operationName = query.operationName?.slice(0, 100)
        const isFailure = result !== 'cancelled' && result !== 'query_rejected'
        const logged = isFailure ? throttle(result) : undefined
        if (logged)
          log.warn(
            { ...labels, failure: result, durationMs, operationName, ...logged },
            'embedded subgraph query failed',
          )
        throw error
      } finally {
        calls.record({ result, durationMs: monotonicNow() - startedMs })
      }
    },
  }
}

function resultOf(error: unknown, signal: StopSignal): CallResult {
  // Any other reason means that the caller disconnected, or that another source answered first.
  if (signal.aborted && signal.reason !== deadlineReached) return 'cancelled'
  return error instanceof TallystickError ? (failureOf(error) ?? 'query_rejected') : 'internal'
}
