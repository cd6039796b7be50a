import type { Clock, Closers, Metrics } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { PrebuiltWriter } from '@tallystick/http'
import type { PoolWatchIntervals, SchedulerTime } from '@tallystick/issuer'
import type { LimitTime } from '@tallystick/keys'
import type { HookTestOptions } from '@tallystick/notify'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { HostMetricsOptions } from './host-metrics.ts'
import type { PortalOptions } from './portal/open-portal.ts'

type EventTimes = {
  /** Interval at which streams receive a heartbeat; 15 s by default. */
  readonly heartbeatMs?: number | undefined
  /** Interval at which the state of a chain is read; 15 s or 60 s by default. Null appends no `rate` and `status` events. */
  readonly stateMs?: number | null | undefined
}

export type ServiceOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Logger
  /** Prints a line for the person at the terminal. */
  readonly say: (line: string) => void
  /** Writers behind `log` and `say`. The lines they drop are counted. */
  readonly writers?: HostMetricsOptions['writers'] | undefined
  readonly portal?: PortalOptions | undefined
  /** Writes the responses of the fast path. Tests inject one that differs from Node. */
  readonly prebuiltWriter?: PrebuiltWriter | undefined
  /** Intervals at which the pools are read. Tests inject shorter ones. */
  readonly poolWatchTimes?: PoolWatchIntervals | undefined
  /** Tick and clock of the schedulers. Tests inject faster ones, so that nothing waits for a second. */
  readonly schedulerTime?: SchedulerTime | undefined
  /** Resolver, certificates, time limits and interval of the webhooks. Tests inject their own. */
  readonly hooks?: HookTestOptions | undefined
  /** Intervals of events. Tests inject shorter ones. */
  readonly eventTimes?: EventTimes | undefined
  /** Interval at which the certificate files are read; 1 s by default. */
  readonly certificatePollMs?: number | undefined
  /** Waits for the lame duck time. Tests inject one that they end. */
  readonly waitLameDuck?: ((ms: number) => Promise<void>) | undefined
  /** Interval at which the embedded subgraphs look for new blocks; 1 s by default. Tests inject a shorter one. */
  readonly followMs?: number | undefined
  /** Milliseconds added to the database's clock when `clock` is shifted on purpose. 0 by default. */
  readonly databaseShiftMs?: (() => number) | undefined
  /** Clock and interval of the limits of keys. Tests inject their own. */
  readonly limitTime?: LimitTime | undefined
  /** Open database, which the service closes. By default the service opens the one that `config` names. */
  readonly database?: Database | undefined
}

/** Common parts that the steps of the start-up hand to the packages by name. */
export type ServiceContext = {
  readonly config: Config
  readonly database: Database
  /** Returns whether the database answers, without asking it. */
  readonly checkDatabase: () => Finding
  readonly clock: Clock
  readonly monotonicNow: () => number
  readonly metrics: Metrics
  readonly log: Logger
  /** Prints a line for the person at the terminal. */
  readonly say: (line: string) => void
  readonly closers: Pick<Closers, 'push'>
  readonly options: ServiceOptions
}
