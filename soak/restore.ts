import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import { currentCoupons } from '@tallystick/sandbox'
import { askAdmin, readReadiness } from './admin.ts'
import { type PlannedFault, replicaNames } from './fault.ts'
import { type Injector, startAgain } from './injector.ts'
import type { Member } from './member.ts'
import { restoreAtMs } from './schedule.ts'
import { tenors, type World } from './world.ts'

// Books are compared at the start and every minute; the rest is a busy machine.
const noticedMs = 75_000
// A difference is looked at again every five seconds.
const readyMs = 30_000
const booksCheck = 'signed notes'
const lookMs = 500

/**
 * Makes a copy of the database, sets another curve, waits until the next period is signed from it, and puts the copy
 * back: a service that only knows its database would sign that period again, from the old curve. Replicas run on or are
 * killed and started on the old state. They have to be unready until somebody reconciles, then ready.
 */
export async function restoreDatabase(injector: Injector, fault: PlannedFault): Promise<void> {
  const { world, elapsedMs, onViolation, isStopped } = injector
  const { variant, boundaryMs = elapsedMs() } = fault
  const { postgres } = world
  const members = replicaNames.map((name) => world.replicas[name])
  await postgres.halt('SIGINT')
  const putBack = await postgres.save()
  await postgres.resume()
  const before = await countSets(world)
  await changeCurve(world)
  while (!isStopped() && elapsedMs() < boundaryMs + restoreAtMs[variant]) await setTimeout(lookMs)
  if (isStopped()) return
  const lost = (await countSets(world)) - before

  if (variant === 1) await Promise.all(members.map((member) => member.end('SIGKILL')))
  await postgres.halt('SIGQUIT')
  await putBack()
  await postgres.resume()
  if (variant === 1) await Promise.all(members.map((member) => startAgain(injector, member)))
  if (lost === 0) return onViolation('the soak itself: no period was signed between copy and restore')
  const isUnready = (member: Member) => readReadiness(member).then((found) => hasBadBooks(found))
  await expectAll(injector, {
    members,
    withinMs: noticedMs,
    words: 'has not noticed a restored database',
    is: isUnready,
  })
  await retry(() => askAdmin(members[0] as Member, { path: '/notes/reconcile', body: {} }))
  const isReady = (member: Member) => readReadiness(member).then((found) => found?.ready === true)
  await expectAll(injector, { members, withinMs: readyMs, words: 'is not ready after the reconciliation', is: isReady })
}

function hasBadBooks(readiness: Awaited<ReturnType<typeof readReadiness>>): boolean {
  return readiness?.ready === false && readiness.checks.some(({ name, ok }) => name === booksCheck && !ok)
}

async function expectAll(
  { onViolation, isStopped }: Injector,
  {
    members,
    withinMs,
    words,
    is,
  }: {
    readonly members: readonly Member[]
    readonly withinMs: number
    readonly words: string
    readonly is: (member: Member) => Promise<boolean>
  },
): Promise<void> {
  const untilMs = Date.now() + withinMs
  await Promise.all(
    members.map(async (member) => {
      while (!isStopped() && !(await is(member))) {
        if (Date.now() > untilMs) return onViolation(`replica ${member.name} ${words} after ${withinMs / 1000} s`)
        await setTimeout(lookMs)
      }
    }),
  )
}

const couponMove = 7

async function changeCurve({ replicas }: World): Promise<void> {
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, (currentCoupons[tenor] as number) + couponMove]))
  await retry(() => askAdmin(replicas.b, { path: '/curve', body: { points, confirm: true, by: 'soak' } }))
}

async function countSets({ databaseUrl }: World): Promise<number> {
  return retry(async () => {
    const database = await openDatabase(databaseUrl)
    try {
      const [row] = await database.query<{ n: number }>('select count(*)::int as n from note_sets')
      return row?.n ?? 0
    } finally {
      await database.close()
    }
  })
}

const retryMs = 30_000

/** A process whose database was just started again may need a moment to connect. */
async function retry<Result>(work: () => Promise<Result>): Promise<Result> {
  const untilMs = Date.now() + retryMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > untilMs) throw error
      await setTimeout(lookMs)
    }
  }
}
