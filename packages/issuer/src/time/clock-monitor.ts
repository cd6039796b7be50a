import { joinRuns, type MetricHelp, repeat, type Time } from '@tallystick/base'
import type { ReadChainTime } from '@tallystick/chain'
import { type Finding, TallystickError } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { IssuerHost } from '../issuer-host.ts'
import { createChainClock } from './chain-clock.ts'
import { type ClockComparison, createClockComparison } from './clock-comparison.ts'
import { createMeasuredClock, type ReferenceClock } from './reference-clock.ts'
import { createVisibleSeconds, type VisibleSeconds } from './visible-seconds.ts'

export type ClockMonitor = ClockComparison & {
  /** Returns the second up to which periods are shown at a local instant. */
  readonly visibleSeconds: VisibleSeconds
  /** Measures every clock, at most once per 500 ms. Never throws. */
  refresh(): Promise<void>
  check(): readonly Finding[]
  /** Returns why the current period is uncertain, after another measurement if needed, or undefined. */
  findUncertainty(): Promise<string | undefined>
  /** Throws `not_ready` if the current period is uncertain, because a curve would be stored for a wrong period. */
  assertCertain(): Promise<void>
  /** Returns the later of the local and the database's clock, Unix milliseconds. */
  latestNow(): Promise<number>
  stop(): void
}

export type ClockMonitorOptions = Omit<IssuerHost, 'closers'> & {
  /** Chains whose clocks are read if they have an RPC. */
  readonly chains: readonly { readonly id: number; readonly rpc: readonly string[] }[]
  readonly readChainTime: ReadChainTime
  /** Added to the database's clock if the service's clock is shifted on purpose. */
  readonly databaseShiftMs?: (() => number) | undefined
}

export const clockMetricHelp: MetricHelp = {
  tallystick_clock_offset_seconds:
    'Seconds by which the local clock is ahead of a reference clock. 0 while within a chain’s tolerance.',
  tallystick_clock_disputed: 'ALARM: 1 while the clocks disagree about the current period. No notes are served then.',
}

const compareMs = 1_000
const databaseEveryMs = 3_000
const chainEveryMs = 10_000
// While the clocks disagree, every request triggers a measurement. This limits them.
const refreshEveryMs = 500
const firstAttemptsMax = 5
const offsetMsOk = 5_000

/** Measures the reference clocks before it resolves, and then every few seconds. */
export async function startClockMonitor(options: ClockMonitorOptions): Promise<ClockMonitor> {
  const { time, say } = options
  const { database, chains } = createClocks(options)
  const comparison = createClockComparison({ database, chains })
  const measureDatabase = createMeasuring(database ? [database] : [], time)
  const measureChains = createMeasuring(chains, time)
  const refresh = async () => {
    await Promise.all([measureDatabase(refreshEveryMs), measureChains(refreshEveryMs)])
  }
  await measureChains(0)
  for (let attempt = 0; database && !database.estimate() && attempt < firstAttemptsMax; attempt++)
    await measureDatabase(0)
  if (!database && chains.length === 0) {
    say('no second clock: the database is embedded and no RPC is configured')
  }
  addMetrics(options, comparison)
  const logChanges = createDisputeLogger(options.log)
  const visibleSeconds = createVisibleSeconds(comparison)
  const comparing = repeat(time, { name: 'clocks', ms: compareMs }, () => {
    // Keeps the last period about which the clocks agreed, whether or not it is requested.
    visibleSeconds(time.now())
    const dispute = comparison.findDispute(time.now())
    logChanges(dispute?.message)
    void measureDatabase(dispute ? 0 : databaseEveryMs)
    void measureChains(dispute ? 0 : chainEveryMs)
  })
  const latestNow = async () => Math.max(time.now(), Number(comparison.status(time.now()).databaseSeconds ?? 0n) * 1000)
  const findUncertainty = async () => {
    if (findUncertaintyAt(comparison, time.now()) !== undefined) await refresh()
    return findUncertaintyAt(comparison, time.now())
  }
  const assertCertain = async () => {
    const uncertainty = await findUncertainty()
    if (uncertainty !== undefined) throw uncertain(uncertainty)
  }
  return {
    ...comparison,
    findUncertainty,
    assertCertain,
    visibleSeconds,
    refresh,
    latestNow,
    check: () => checkClocks(comparison, time.now()),
    stop: comparing.stop,
  }
}

function findUncertaintyAt(comparison: ClockComparison, nowMs: number): string | undefined {
  const dispute = comparison.findDispute(nowMs)
  if (dispute) return dispute.message
  if (comparison.status(nowMs).confirmation !== 'unconfirmed') return undefined
  return 'No other clock could be read since the start, so the current period is uncertain.'
}

function uncertain(reason: string): TallystickError {
  return new TallystickError({
    code: 'not_ready',
    message:
      `The curve was not stored: ${reason} Correct the wrong clock (\`tallystick doctor\` compares all clocks), or use a ` +
      'replica whose clock is right.',
    retryable: true,
  })
}

function createClocks({ database, chains, readChainTime, databaseShiftMs, time }: ClockMonitorOptions) {
  const read = () => readDatabaseTime(database)
  return {
    // An embedded database uses this machine's clock.
    database:
      database.engine === 'postgres'
        ? createMeasuredClock({ name: 'database', read, shiftMs: databaseShiftMs, time })
        : undefined,
    chains: chains
      .filter(({ rpc }) => rpc.length > 0)
      .map(({ id }) => createChainClock({ chainId: id, read: () => readChainTime(id), time })),
  }
}

/** Creates a function that measures the clocks, at most once per `everyMs`. Joins a measurement in progress. */
function createMeasuring(
  clocks: readonly ReferenceClock[],
  time: Pick<Time, 'monotonic'>,
): (everyMs: number) => Promise<void> {
  let startedMs = Number.NEGATIVE_INFINITY
  const { run, settle } = joinRuns(async () => {
    startedMs = time.monotonic()
    await Promise.all(clocks.map((clock) => clock.measure()))
  })
  return (everyMs) => (time.monotonic() - startedMs < everyMs ? settle() : run())
}

function addMetrics({ metrics, time }: ClockMonitorOptions, comparison: ClockComparison): void {
  metrics.gauge('tallystick_clock_offset_seconds', () =>
    comparison
      .readings(time.now())
      .flatMap(({ reference, offsetMs }) =>
        offsetMs === undefined ? [] : [{ labels: { reference }, value: offsetMs / 1000 }],
      ),
  )
  metrics.gauge('tallystick_clock_disputed', () => [{ value: comparison.agrees(time.now()) ? 0 : 1 }])
}

/** Creates a function that logs when a dispute begins and ends. Its message changes every second and is not compared. */
function createDisputeLogger(log: IssuerHost['log']): (problem: string | undefined) => void {
  let isDisputed = false
  return (problem) => {
    if (problem !== undefined && !isDisputed) log.error({ problem }, 'clocks disagree; no notes are served')
    if (problem === undefined && isDisputed) log.info('clocks agree again; notes are served')
    isDisputed = problem !== undefined
  }
}

function checkClocks(comparison: ClockComparison, nowMs: number): Finding[] {
  const readings = comparison.readings(nowMs)
  const dispute = comparison.findDispute(nowMs)
  const known = readings.map(({ reference, offsetMs }) => `${formatOffset(offsetMs)} (${reference})`)
  const isSingleClock = comparison.status(nowMs).confirmation === 'single_clock'
  const offsets = isSingleClock ? 'no second clock' : `offset of the local clock: ${known.join(', ')}`
  const far = readings.filter(({ offsetMs }) => Math.abs(offsetMs ?? 0) > offsetMsOk)
  return [
    dispute
      ? {
          subject: 'clock',
          severity: 'unready',
          message: `${dispute.message} (${offsets}). Correct the wrong clock. \`tallystick doctor\` compares all clocks`,
          remedy,
        }
      : { subject: 'clock', severity: 'ok', message: offsets },
    ...far.map(({ reference, offsetMs }) => ({
      subject: `clock against the ${reference}`,
      severity: 'warn' as const,
      message: `the local clock is ${formatOffset(offsetMs)}. Synchronize both clocks with NTP`,
      remedy,
    })),
  ]
}

const remedy = 'Synchronise the clocks of this machine and of the database with NTP. `tallystick doctor` compares them.'

function formatOffset(offsetMs: number | undefined): string {
  if (offsetMs === undefined) return 'unknown'
  return `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead'}`
}

/** Reads the database server's clock, Unix milliseconds. */
export async function readDatabaseTime(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now_ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms',
  )
  return (row as { now_ms: number }).now_ms
}
