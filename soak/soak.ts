import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { decodeNote, verifyNote, type WireNote } from '@tallystick/core'
import { createRandom, pick } from '@tallystick/sandbox'
import { createClocks } from './clocks.ts'
import { checkEnd, type Measured, measure } from './end-checks.ts'
import { watchFuturePeriods } from './future-periods.ts'
import { type Exchange, judge } from './judge.ts'
import { createLatency, findSlowness } from './latency.ts'
import { createLedger } from './ledger.ts'
import { startLending } from './lending.ts'
import { type Load, startLoad } from './load.ts'
import { formatTime, formatViolation, type Report } from './report.ts'
import { planSchedule, type Schedule } from './schedule.ts'
import { createTally, type Tally } from './tally.ts'
import { runTimeline } from './timeline.ts'
import { startWorld, type World } from './world.ts'

export type SoakParts = {
  readonly seed: number
  readonly minutes: number
  readonly say: (line: string) => void
  readonly defer: (undo: () => unknown) => void
  readonly isStopped: () => boolean
}

// An ordinary day, those with 25 and 23 hours, and the turn of a year: ten minutes before a boundary, which is where the
// clock stands while everything starts.
const startsAt = [
  '2026-11-15T22:50:00Z',
  '2026-10-31T21:50:00Z',
  '2026-11-01T03:50:00Z',
  '2026-03-07T22:50:00Z',
  '2026-03-08T04:50:00Z',
  '2026-12-31T22:50:00Z',
] as const

const progressMs = 10_000

/** Runs everything for the time it is given, and tells what happened. */
export async function soak(parts: SoakParts): Promise<Report> {
  const { seed, minutes, say, defer, isStopped } = parts
  const schedule = planSchedule({ seed, minutes })
  const random = createRandom(seed)
  const at = pick(random, startsAt)
  say(`seed ${seed}, ${minutes} min, ${schedule.faults.length} faults, beginning before ${at}`)
  const clocks = createClocks(Date.parse(at))
  let startedAt = Date.now()
  const elapsedMs = () => Date.now() - startedAt
  const tally = createTally((violation) => say(`VIOLATION seed ${seed} ${formatViolation(violation)}`))
  const onViolation = (words: string) => tally.violate(words, elapsedMs())
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-soak-'))
  defer(() => {
    // Where something was broken, the logs tell why.
    if (tally.violations.length === 0) rmSync(directory, { recursive: true, force: true })
    else say(`the logs of the processes are in ${directory}`)
  })
  const world = await startWorld({ directory, clocks, say, defer, onCrash: onViolation })
  startedAt = Date.now()

  const ledger = createLedger()
  const latency = createLatency(elapsedMs)
  const signableSinceMs = new Map<bigint, number>()
  const newest = new Map<string, readonly WireNote[]>()
  const served = new Set<string>()
  const verify = createVerify(world, onViolation)
  const onExchange = (exchange: Exchange) => {
    tally.count(exchange)
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
  const { authority, replicas: members, keys, limitedKey } = world
  const load = startLoad({ seed, ca: authority.cert, members, clocks, keys, limitedKey, elapsedMs, onExchange })
  defer(() => load.stop())
  const lendings = world.chains.map((chain) => {
    const notes = () => newest.get(String(chain.id)) ?? []
    return startLending(chain, { seed: seed + chain.id, clock: clocks, notes, onViolation })
  })
  const stopLending = () => Promise.all(lendings.map((lending) => lending.stop()))
  defer(stopLending)
  const future = watchFuturePeriods(world.databaseUrl, { clocks, onViolation })
  defer(() => future.stop())
  const lateness = monitorEventLoopDelay()
  lateness.enable()
  const progress = setInterval(() => say(formatProgress({ elapsedMs, tally, schedule })), progressMs)
  defer(() => clearInterval(progress))

  const [before] = await Promise.all([
    measureWarm(world, load),
    runTimeline({
      ...{ world, clocks, onViolation, schedule, tally, signableSinceMs, elapsedMs, isStopped, latency },
      onStranger: tally.count,
      faults: () => tally.faults,
    }),
  ])
  clearInterval(progress)
  await future.stop()
  const slowness = findSlowness(latency.read())
  if (slowness) onViolation(slowness)
  await load.stop()
  await stopLending()
  say('the time is over: comparing what is left')
  const end = isStopped() ? undefined : await checkEnd(world, { ledger, before, onViolation })
  const lent = lendings
    .map(({ counts }, index) => `chain ${world.chains[index]?.id} ${JSON.stringify(counts)}`)
    .join(', ')
  const periods = new Set(ledger.notes().map(({ signature_valid_after }) => signature_valid_after)).size
  const lateMs = lateness.max / 1e6
  return { seed, minutes, schedule, tally, lent, periods, latency: latency.read(), lateMs, end }
}

// Long enough for every code path to be compiled and every pool to be filled; with what measuring takes, less than the
// quiet that the schedule begins with.
const warmUpMs = 9_000

/** What the processes hold before anything was done to them. */
async function measureWarm(world: World, load: Load): Promise<Measured> {
  await setTimeout(warmUpMs)
  await load.pause()
  const measured = await measure(world)
  load.resume()
  return measured
}

/** Recovers the signer of each new note, as whoever lends with it relies on. */
function createVerify({ chains, signer }: World, onViolation: (words: string) => void): (note: WireNote) => void {
  return (note) => {
    const chain = chains.find(({ id }) => String(id) === note.chainid)
    if (!chain) return onViolation(`a note of the unknown chain ${note.chainid}`)
    const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain.protocol.pool }
    verifyNote(decodeNote(note), { domain, signer: signer.address }).then(
      ({ valid }) => valid || onViolation(`a note of chain ${note.chainid} that the signer did not sign`),
      (error: Error) => onViolation(`a note that cannot be verified: ${error.message}`),
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
