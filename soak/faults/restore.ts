import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import { currentCoupons } from '@tallystick/sandbox'
import { postAdmin, readReadiness } from '../clients/admin.ts'
import { type SoakEnvironment, tenors } from '../environment/environment.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { type PlannedFault, replicaNames } from './fault.ts'
import { type Injector, restart } from './injector.ts'
import { restoreAtMs } from './schedule.ts'

// The journal is compared with the database at the start and every minute. The rest is for a busy machine.
const detectionMs = 75_000
// A difference is checked again every 5 s.
const readyMs = 30_000
const journalCheck = 'signed notes'
const pollMs = 500

/**
 * Copies the database, sets another curve, waits until the next period is signed with it, and restores the copy. Without
 * the signer journal, the service would sign that period again with the old curve. The replicas keep running or are killed
 * and started on the old state. They must not be ready until `notes reconcile`, and must be ready after it.
 */
export async function restoreDatabase(injector: Injector, fault: PlannedFault): Promise<void> {
  const { environment, elapsedMs, onViolation, isStopped } = injector
  const { variant, boundaryMs = elapsedMs() } = fault
  const { postgres } = environment
  const serviceProcesses = replicaNames.map((name) => environment.replicas[name])
  await postgres.halt('SIGINT')
  const restoreCopy = await postgres.save()
  await postgres.resume()
  const before = await countSets(environment)
  await changeCurve(environment)
  while (!isStopped() && elapsedMs() < boundaryMs + restoreAtMs[variant]) await setTimeout(pollMs)
  if (isStopped()) return
  const lost = (await countSets(environment)) - before

  if (variant === 1) await Promise.all(serviceProcesses.map((serviceProcess) => serviceProcess.end('SIGKILL')))
  await postgres.halt('SIGQUIT')
  await restoreCopy()
  await postgres.resume()
  if (variant === 1) await Promise.all(serviceProcesses.map((serviceProcess) => restart(injector, serviceProcess)))
  if (lost === 0) return onViolation('error of the soak: no period was signed between the copy and the restore')
  const isUnready = (serviceProcess: ServiceProcess) =>
    readReadiness(serviceProcess).then((found) => hasJournalProblem(found))
  await expectAll(injector, {
    serviceProcesses,
    withinMs: detectionMs,
    words: 'has not noticed a restored database',
    is: isUnready,
  })
  await retry(() => postAdmin(serviceProcesses[0] as ServiceProcess, { path: '/notes/reconcile', body: {} }))
  const isReady = (serviceProcess: ServiceProcess) =>
    readReadiness(serviceProcess).then((found) => found?.ready === true)
  await expectAll(injector, {
    serviceProcesses,
    withinMs: readyMs,
    words: 'is not ready after notes reconcile',
    is: isReady,
  })
}

function hasJournalProblem(readiness: Awaited<ReturnType<typeof readReadiness>>): boolean {
  return (
    readiness?.ready === false &&
    readiness.findings.some(({ subject, severity }) => subject === journalCheck && severity !== 'ok')
  )
}

async function expectAll(
  { onViolation, isStopped }: Injector,
  {
    serviceProcesses,
    withinMs,
    words,
    is,
  }: {
    readonly serviceProcesses: readonly ServiceProcess[]
    readonly withinMs: number
    readonly words: string
    readonly is: (serviceProcess: ServiceProcess) => Promise<boolean>
  },
): Promise<void> {
  const untilMs = Date.now() + withinMs
  await Promise.all(
    serviceProcesses.map(async (serviceProcess) => {
      while (!isStopped() && !(await is(serviceProcess))) {
        if (Date.now() > untilMs)
          return onViolation(`replica ${serviceProcess.name} ${words} after ${withinMs / 1000} s`)
        await setTimeout(pollMs)
      }
    }),
  )
}

const couponMoveBps = 7

async function changeCurve({ replicas }: SoakEnvironment): Promise<void> {
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, (currentCoupons[tenor] as number) + couponMoveBps]))
  await retry(() => postAdmin(replicas.b, { path: '/curve', body: { points, confirm: true, by: 'soak' } }))
}

async function countSets({ databaseUrl }: SoakEnvironment): Promise<number> {
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

/** Retries `work`, because a process needs a moment to reconnect after a restart of its database. */
async function retry<Result>(work: () => Promise<Result>): Promise<Result> {
  const untilMs = Date.now() + retryMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > untilMs) throw error
      await setTimeout(pollMs)
    }
  }
}
