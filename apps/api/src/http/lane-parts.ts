import type { Clock } from '../clock.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Metrics } from '../metrics.ts'
import type { PremadeWriter } from './premade-answer.ts'

/** The parts of the service that every lane uses. The framework uses the same ones. */
export type LaneParts = {
  readonly writer: PremadeWriter
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly clock: Clock
  readonly monotonicNow: () => number
  readonly metrics: Metrics
  readonly nextRequestId: () => string
  readonly formatDate: (instantMs: number) => string
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns false from the signal to stop on: then the framework answers, with `Connection: close`. */
  readonly isListening: () => boolean
}
