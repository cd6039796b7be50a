import { expect, test } from 'vitest'
import { areExclusive } from './exclusive-faults.ts'
import { faultKinds } from './fault.ts'
import { jumpAheadMs, planSchedule, quietHeadMs, quietTailMs, type Schedule } from './schedule.ts'

const seeds = Array.from({ length: 200 }, (_, index) => index * 7_919 + 1)
const planAll = (minutes: number, of = seeds) => of.map((seed) => planSchedule({ seed, minutes }))
const sevenMinutes = planAll(7)
const tenMinutes = planAll(10)

test('default: the seed and the length determine the schedule', () => {
  expect(planSchedule({ seed: 1, minutes: 7 })).toEqual(planSchedule({ seed: 1, minutes: 7 }))
  expect(planSchedule({ seed: 1, minutes: 7 })).not.toEqual(planSchedule({ seed: 2, minutes: 7 }))
})

function seedsWithout(schedules: readonly Schedule[]) {
  return schedules.flatMap(({ faults }, at) => {
    const kinds = new Set(faults.map(({ kind }) => kind))
    return faultKinds.some((kind) => !kinds.has(kind)) ? [seeds[at]] : []
  })
}

test.each([
  [7, () => sevenMinutes],
  [10, () => tenMinutes],
  [30, () => planAll(30, seeds.slice(0, 20))],
])('behavior: at %d minutes every kind of fault occurs, whatever the seed', (_, plan) => {
  expect(seedsWithout(plan())).toEqual([])
})

test('behavior: at 30 minutes every kind of fault occurs with 200 seeds', { tags: ['slow'] }, () => {
  expect(seedsWithout(planAll(30))).toEqual([])
})

test('behavior: 10 minutes have both variants of every kind, one restore and one change of the signer', () => {
  const rare = new Set<string>()
  for (const { faults } of tenMinutes) {
    const ways = new Set(faults.map(({ kind, variant }) => `${kind} ${variant}`))
    expect(ways.size).toBe(2 * faultKinds.length - 2)
    for (const way of ways) if (/^(database-restore|signer-changed) /.test(way)) rare.add(way)
  }
  expect(rare.size).toBe(4)
})

test('behavior: the start and the end have no faults', () => {
  const wrong = sevenMinutes.flatMap(({ faults, lengthMs }) =>
    faults.filter(({ startMs, endMs }) => startMs < quietHeadMs || endMs <= startMs || endMs > lengthMs - quietTailMs),
  )
  expect(wrong).toEqual([])
})

test.each([
  ['key-revocation', 'postgres-stop'],
  ['key-revocation', 'postgres-stall'],
  ['postgres-stop', 'postgres-stall'],
  // A restore would undo the revocation, and its copy needs a running PostgreSQL.
  ['key-revocation', 'database-restore'],
  ['postgres-stop', 'database-restore'],
  ['clock-ahead', 'database-restore'],
  // A reorg would undo the change. A replica cannot notice it without its RPC.
  ['signer-changed', 'reorg'],
  ['role-revoked', 'reorg'],
  ['signer-changed', 'rpc-outage'],
  ['rpc-drops-logs', 'rpc-changes-chain'],
  ['rpc-drops-logs', 'database-restore'],
  ['signer-changed', 'clock-ahead'],
] as const)('behavior: %s and %s never overlap', (one, other) => {
  expect([areExclusive(one, other), areExclusive(other, one)]).toEqual([true, true])
  for (const { faults } of tenMinutes) {
    const others = faults.filter(({ kind }) => kind === other)
    for (const { startMs, endMs } of faults.filter(({ kind }) => kind === one)) {
      expect(others.some((fault) => fault.startMs < endMs && startMs < fault.endMs)).toBe(false)
    }
  }
})

test.each(['signer-outage', 'clock-ahead', 'clock-behind', 'database-restore'] as const)(
  'behavior: every %s is in force across a boundary',
  (kind) => {
    for (const { faults, boundariesMs } of tenMinutes) {
      for (const { startMs, endMs } of faults.filter((fault) => fault.kind === kind)) {
        expect(boundariesMs.some((at) => startMs < at && at < endMs)).toBe(true)
      }
    }
  },
)

test('behavior: a clock error of a day affects one replica only, while the next period is signed', () => {
  for (const { faults, boundariesMs } of tenMinutes) {
    const days = faults.filter(({ kind, variant }) => kind === 'clock-ahead' && variant === 1)
    expect(days.map(({ replicas }) => replicas.length)).toEqual([1])
    for (const { startMs } of days) expect(boundariesMs.some((at) => startMs < at - jumpAheadMs)).toBe(true)
  }
})

test('behavior: faults overlap, and several boundaries are crossed in ten minutes', () => {
  const { faults, boundariesMs } = planSchedule({ seed: 3, minutes: 10 })
  expect(boundariesMs.length).toBeGreaterThanOrEqual(5)
  expect(faults.some((fault, index) => (faults[index + 1]?.startMs ?? Number.POSITIVE_INFINITY) < fault.endMs)).toBe(
    true,
  )
})

test('behavior: 3 minutes have some of the faults, and 50 seeds have all that do not need more', () => {
  const plans = planAll(3, seeds.slice(0, 50))
  for (const { faults } of plans) expect(faults.length).toBeGreaterThan(5)
  const kinds = new Set(plans.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
  expect(faultKinds.filter((kind) => !kinds.has(kind))).toEqual(['database-restore'])
})
