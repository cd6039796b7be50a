import type { Closers, Metrics, Time } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { PrebuiltWriter } from '@tallystick/http'
import type { LimitTestOptions } from '@tallystick/keys'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { HostMetricsOptions } from './host-metrics.ts'
import type { PortalOptions } from './portal/load-portal.ts'

export type ServiceOptions = {
  readonly config: Config
  readonly time: Time
  readonly log: Logger
  /** Prints a line for the person at the terminal. */
  readonly say: (line: string) => void
  /** Writers behind `log` and `say`. The lines they drop are counted. */
  readonly writers?: HostMetricsOptions['writers'] | undefined
  readonly portal?: PortalOptions | undefined
  /** Writes the responses of the fast path. Tests inject one that differs from Node. */
  readonly prebuiltWriter?: PrebuiltWriter | undefined
  /** Whether `rate` and `status` events are appended. They are by default. */
  readonly hasStateEvents?: boolean | undefined
  /** Milliseconds added to the database's clock where it is compared with the service's, if that is shifted on purpose. */
  readonly databaseShiftMs?: (() => number) | undefined
  /** Tests of the limits inject theirs. */
  readonly limits?: LimitTestOptions | undefined
  /** Open database, which the service closes. By default the service opens the one that `config` names. */
  readonly database?: Database | undefined
}

/** Common parts that the steps of the start-up hand to the packages by name. */
export type ServiceContext = Pick<ServiceOptions, 'config' | 'time' | 'log' | 'say'> & {
  readonly database: Database
  /** Returns whether the database answers, without asking it. */
  readonly checkDatabase: () => Finding
  readonly metrics: Metrics
  readonly closers: Pick<Closers, 'push'>
  readonly options: ServiceOptions
}
