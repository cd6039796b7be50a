import type { Time } from '@tallystick/base'
import type { Logger } from 'pino'
import type { ChainSubgraph, SubgraphQuery, SubgraphSource } from '../chain-subgraph.ts'
import { beginCall, type Call, observeCall } from '../remote/begin-call.ts'
import { createCircuitGuard } from '../remote/circuit-guard.ts'
import type { RemoteSubgraph } from '../remote/remote-subgraph.ts'

/** One of the two subgraphs of a chain. */
export type Source = {
  readonly kind: SubgraphSource
  readonly subgraph: ChainSubgraph
  /** Whether queries are sent to it. */
  readonly isUsable: boolean
  begin(query: SubgraphQuery): Call
  /** Records that it did not tell its head in time. */
  recordHang(): void
  close(): Promise<void>
}

/** Adapts a remote subgraph. Its URLs have circuit breakers of their own. */
export function createRemoteSource(subgraph: RemoteSubgraph): Source {
  return {
    kind: 'remote',
    subgraph,
    get isUsable() {
      return subgraph.isUsable
    },
    begin: (query) => beginCall(({ signal }) => subgraph.ask(query, signal)),
    recordHang: () => undefined,
    // The owner of the remote subgraphs closes it.
    close: async () => undefined,
  }
}

const headQuery: SubgraphQuery = {
  text: '{ _meta { block { number } } }',
  textWithHead: '{ _meta { block { number } } }',
  headAlias: '_meta',
  variables: {},
  operationName: undefined,
}

/**
 * Adapts an embedded subgraph and gives it a circuit breaker: while the database is unavailable, queries do not wait for it
 * before they are sent to the other source.
 */
export function createEmbeddedSource(
  subgraph: ChainSubgraph,
  { timeoutMs, time, log }: { readonly timeoutMs: number; readonly time: Time; readonly log: Logger },
): Source {
  const begin = (query: SubgraphQuery) => beginCall(({ signal }) => subgraph.ask(query, signal))
  const guard = createCircuitGuard({
    beginProbe: () => begin(headQuery),
    timeoutMs,
    onChange: ({ before, after }) => {
      if (before.state === 'closed') log.warn('embedded subgraph circuit opened until a probe succeeds')
      if (after.state === 'closed') log.info('embedded subgraph recovered')
    },
    time,
  })
  return {
    kind: 'embedded',
    subgraph,
    get isUsable() {
      return guard.circuit.state === 'closed'
    },
    begin: (query) => observeCall(begin(query), guard.record),
    recordHang: guard.recordHang,
    close: async () => guard.close(),
  }
}
