import type { Closers, Metrics, Time } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'

/** What the issuer shares with the rest of the process. */
export type IssuerHost = {
  readonly database: Database
  readonly time: Time
  readonly metrics: Metrics
  readonly log: Logger
  readonly say: (line: string) => void
  readonly closers: Pick<Closers, 'push'>
}
