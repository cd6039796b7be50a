import type { Head, UpstreamFailure } from '../chain-subgraph.ts'
import type { Circuit } from './circuit.ts'

export type UpstreamStatus = {
  readonly upstream: string
  readonly circuit: Circuit['state']
  /** Time until the next probe, or 0 if the circuit is not open. */
  readonly openForMs: number
  readonly lastFailure: UpstreamFailure | undefined
  readonly head: Head | undefined
  /** Whether its last head lagged too far behind the clock. */
  readonly isBehind: boolean
}
