import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Metrics, Time } from '@tallystick/base'
import type { Cors, PrebuiltWriter } from '@tallystick/http'
import type { KeyRing } from '@tallystick/keys'

/** Parts that the fast path shares with the framework, for all its routes. */
export type FastPathParts = {
  readonly writer: PrebuiltWriter
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly time: Pick<Time, 'now' | 'monotonic'>
  readonly metrics: Metrics
  readonly nextRequestId: () => string
  readonly formatDate: (instantMs: number) => string
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>
  readonly cors: Cors | undefined
}

/** A plain request and when it arrived. */
export type Arrival = { readonly request: IncomingMessage; readonly startedMs: number; readonly nowMs: number }

/** Answers a request, or returns false and leaves it as it was. */
export type Respond = (response: ServerResponse, arrival: Arrival) => boolean
