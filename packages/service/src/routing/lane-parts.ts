import type { Clock, Metrics } from '@tallystick/base'
import type { Cors, PremadeWriter } from '@tallystick/http'
import type { KeyRing } from '@tallystick/keys'

/** Parts that every lane shares with the framework. */
export type LaneParts = {
  readonly writer: PremadeWriter
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly clock: Clock
  readonly monotonicNow: () => number
  readonly metrics: Metrics
  readonly nextRequestId: () => string
  readonly formatDate: (instantMs: number) => string
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>
  readonly cors?: Cors | undefined
  /** Returns false after the stop signal. Then the framework responds, with `Connection: close`. */
  readonly isListening: () => boolean
}
