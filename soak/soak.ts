import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { decodeNote, verifyNote, type WireNote } from '@tallystick/core'
import { createRandom, pick } from '@tallystick/workbench/random'
import { startAlertWatch } from './alerts/watch-alerts.ts'
import { startLending } from './clients/lending.ts'
import { type Load, startLoad } from './clients/load.ts'
import { createClocks } from './environment/clocks.ts'
import { type SoakEnvironment, startEnvironment } from './environment/environment.ts'
import { planSchedule, type Schedule } from './faults/schedule.ts'
import { runTimeline } from './faults/timeline.ts'
import { checkEnd, type Measured, measure } from './judges/end-checks.ts'
import { createForeignBlockCheck } from './judges/foreign-blocks.ts'
import { watchFuturePeriods } from './judges/future-periods.ts'
import { type Exchange, judge } from './judges/judge.ts'
import { createLatency, findSlowness } from './judges/latency.ts'
import { createLedger } from './judges/ledger.ts'
import { isPoolRejecting } from './judges/rejected-notes.ts'
import { createTally, type Tally } from './judges/tally.ts'
import { watchReadiness } from './judges/watch-readiness.ts'
import { formatTime, formatViolation, type Report } from './report.ts'

export type SoakParts = {
  readonly seed: number
  readonly minutes: number
  readonly alerts?: boolean | undefined
  readonly say: (line: string) => void
  readonly defer: (undo: () => unknown) => void
  readonly isStopped: () => boolean
}

// An ordinary day, the days with 25 and 23 hours, and the end of a year, each ten minutes before a boundary. The clock
// stands there during the start.
const startsAt = [
  '2026-11-15T22:50:00Z',
  '2026-10-31T21:50:00Z',
  '2026-11-01T03:50:00Z',
  '2026-03-07T22:50:00Z',
  '2026-03-08T04:50:00Z',
  '2026-12-31T22:50:00Z',
] as const

const progressMs = 10_000

/** Runs the soak and returns its report. */
export async function soak(parts: SoakParts): Promise<Report> {
  const { seed, minutes, alerts = false, say, defer, isStopped } = parts
  const schedule = planSchedule({ seed, minutes })
  const random = createRandom(seed)
  const at = pick(random, startsAt)
  say(`seed ${seed}, ${minutes} min, ${schedule.faults.length} faults, simulated start ${at}`)
  const clocks = createClocks(Date.parse(at))
  let startedAt = Date.now()
  const elapsedMs = () => Date.now() - startedAt
  const tally = createTally((violation) => say(`VIOLATION seed ${seed} ${formatViolation(violation)}`))
  const onViolation = (words: string) => tally.addViolation(words, elapsedMs())
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-soak-'))
  defer(() => {
    // The logs are needed to find the cause of a violation.
    if (tally.violations.length === 0) rmSync(directory, { recursive: true, force: true })
    else say(`logs of the processes: ${directory}`)
  })
  const environment = await startEnvironment({ directory, clocks, say, defer, onCrash: onViolation })
  const stage = { directory, defer, say, isStopped, onCrash: () => undefined }
  const watch = alerts ? await startAlertWatch(environment, stage) : undefined
  startedAt = Date.now()

  const ledger = createLedger()
  const latency = createLatency(elapsedMs)
  const signableSinceMs = new Map<bigint, number>()
  const newest = new Map<string, readonly WireNote[]>()
  const served = new Set<string>()
  const verify = createVerify(environment, onViolation)
  const checkBlocks = createForeignBlockCheck(environment.chains, onViolation)
  const onExchange = (exchange: Exchange) => {
    tally.count(exchange)
    checkBlocks(exchange)
    latency.take(exchange, tally.faults)
    const { violations, fresh } = judge(exchange, { ledger, faults: tally.faults, signableSinceMs, served })
    for (const words of violations) onViolation(`${exchange.replica} ${exchange.path}: ${words}`)
    for (const note of fresh) {
      verify(note)
      const others = (newest.get(note.chainid) ?? []).filter(
        (one) => one.signature_valid_after === note.signature_valid_after,
      )
      newest.set(note.chainid, [...others, note])
    }
  }
  const { authority, replicas: serviceProcesses, keys, limitedKey, modestKey } = environment
  const load = startLoad({
    seed,
    ca: authority.cert,
    serviceProcesses,
    clocks,
    keys,
    limitedKey,
    modestKey,
    elapsedMs,
    onExchange,
  })
  defer(() => load.stop())
  const lendings = environment.chains.map((chain) => {
    const notes = () => newest.get(String(chain.id)) ?? []
    const isRejecting = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) =>
      isPoolRejecting(tally.faults, { fromMs: fromMs - startedAt, toMs: toMs - startedAt })
    return startLending(chain, { seed: seed + chain.id, clock: clocks, notes, isRejecting, onViolation })
  })
  const stopLending = () => Promise.all(lendings.map((lending) => lending.stop()))
  defer(stopLending)
  const future = watchFuturePeriods(environment.databaseUrl, { clocks, onViolation })
  defer(() => future.stop())
  const readiness = watchReadiness(environment, onViolation)
  defer(() => readiness.stop())
  const lateness = monitorEventLoopDelay()
  lateness.enable()
  const progress = setInterval(() => say(formatProgress({ elapsedMs, tally, schedule })), progressMs)
  defer(() => clearInterval(progress))

  const [before] = await Promise.all([
    measureWarm(environment, load),
    runTimeline({
      ...{ environment, clocks, onViolation, schedule, tally, signableSinceMs, elapsedMs, isStopped, latency },
      onPublicRequest: tally.count,
      faults: () => tally.faults,
    }),
    watch?.run(),
  ])
  clearInterval(progress)
  await future.stop()
  await readiness.stop()
  const slowness = findSlowness(latency.read())
  if (slowness) onViolation(slowness)
  await load.stop()
  await stopLending()
  say('load finished: running the final checks')
  const end = isStopped() ? undefined : await checkEnd(environment, { ledger, before, onViolation })
  const alertReports = await watch?.finish(tally.faults, startedAt)
  const lent = lendings
    .map(({ counts }, index) => `chain ${environment.chains[index]?.id} ${JSON.stringify(counts)}`)
    .join(', ')
  const periods = new Set(ledger.notes().map(({ signature_valid_after }) => signature_valid_after)).size
  const lateMs = lateness.max / 1e6
  const database = environment.postgres.description
  const measured = { latency: latency.read(), lateMs, end, alerts: alertReports }
  return { seed, minutes, database, schedule, tally, lent, periods, ...measured }
}

// Long enough to compile every code path and fill every pool. Together with the measurement it is shorter than the quiet
// start of the schedule.
const warmUpMs = 9_000

/** Measures the processes before the first fault. */
async function measureWarm(environment: SoakEnvironment, load: Load): Promise<Measured> {
  await setTimeout(warmUpMs)
  await load.pause()
  const measured = await measure(environment)
  load.resume()
  return measured
}

/** Returns a function that verifies the signature of a note. */
export function createVerify(
  { chains, signer }: SoakEnvironment,
  onViolation: (message: string) => void,
): (note: WireNote) => void {
  return (note) => {
    const chain = chains.find(({ id }) => String(id) === note.chainid)
    if (!chain) return onViolation(`a note has the unknown chain ${note.chainid}`)
    const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain.protocol.pool }
    verifyNote(decodeNote(note), { domain, signer: signer.address }).then(
      ({ valid }) => valid || onViolation(`a note of chain ${note.chainid} has a wrong signature`),
      (error: Error) => onViolation(`a note cannot be verified: ${error.message}`),
    )
  }
}

function formatProgress({
  elapsedMs,
  tally,
  schedule,
}: {
  readonly elapsedMs: () => number
  readonly tally: Tally
  readonly schedule: Schedule
}): string {
  const count = [...tally.requests.values()]
    .flatMap((statuses) => [...statuses.values()])
    .reduce((sum, n) => sum + n, 0)
  const active = tally.faults.filter(({ endedMs }) => endedMs === undefined).map(({ kind }) => kind)
  const violations = tally.violations.reduce((sum, { times }) => sum + times, 0)
  return `${formatTime(elapsedMs())} of ${formatTime(schedule.lengthMs)}, ${count} requests, ${violations} violations${active.length === 0 ? '' : `, now: ${active.join(', ')}`}`
}
