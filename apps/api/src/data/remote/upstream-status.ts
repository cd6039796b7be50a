import type { Head, UpstreamFailure } from '../chain-subgraph.ts'
import type { Circuit } from './circuit.ts'

export type UpstreamStatus = {
  readonly upstream: string
  readonly circuit: Circuit['state']
  /** How long until it is looked at again, where its circuit is open. */
  readonly restMs: number
  readonly lastFailure: UpstreamFailure | undefined
  readonly head: Head | undefined
  /** Whether it was too far behind its chain a moment ago. */
  readonly isBehind: boolean
}
