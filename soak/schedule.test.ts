import { expect, test } from 'vitest'
import { faultKinds } from './fault.ts'
import { planSchedule, quietHeadMs, quietTailMs } from './schedule.ts'

const seeds = Array.from({ length: 200 }, (_, index) => index * 7_919 + 1)

test('default: the same seed and length give the same schedule, another seed another', () => {
  expect(planSchedule({ seed: 1, minutes: 5 })).toEqual(planSchedule({ seed: 1, minutes: 5 }))
  expect(planSchedule({ seed: 1, minutes: 5 })).not.toEqual(planSchedule({ seed: 2, minutes: 5 }))
})

test.each([4, 5, 10, 30])('behavior: at %d minutes every kind of fault occurs, whatever the seed', (minutes) => {
  for (const seed of seeds) {
    const kinds = new Set(planSchedule({ seed, minutes }).faults.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([...faultKinds].sort())
  }
})

test('behavior: ten minutes hold both ways of every kind', () => {
  for (const seed of seeds) {
    const ways = new Set(planSchedule({ seed, minutes: 10 }).faults.map(({ kind, variant }) => `${kind} ${variant}`))
    expect(ways.size).toBe(2 * faultKinds.length)
  }
})

test('behavior: the beginning and the end are quiet', () => {
  for (const seed of seeds) {
    const { faults, lengthMs } = planSchedule({ seed, minutes: 5 })
    for (const { startMs, endMs } of faults) {
      expect(startMs).toBeGreaterThanOrEqual(quietHeadMs)
      expect(endMs).toBeGreaterThan(startMs)
      expect(endMs).toBeLessThanOrEqual(lengthMs - quietTailMs)
    }
  }
})

test('behavior: a key is not revoked while the database is away', () => {
  for (const seed of seeds) {
    const { faults } = planSchedule({ seed, minutes: 10 })
    const outages = faults.filter(({ kind }) => kind === 'postgres-stop')
    for (const { startMs, endMs } of faults.filter(({ kind }) => kind === 'key-revocation')) {
      expect(outages.some((outage) => outage.startMs < endMs && startMs < outage.endMs)).toBe(false)
    }
  }
})

test('behavior: the signer is away across a boundary', () => {
  for (const seed of seeds) {
    const { faults, boundariesMs } = planSchedule({ seed, minutes: 5 })
    const outage = faults.find(({ kind }) => kind === 'signer-outage')
    expect(boundariesMs.some((at) => outage!.startMs < at && at < outage!.endMs)).toBe(true)
  }
})

test('behavior: faults overlap, and several boundaries are crossed in ten minutes', () => {
  const { faults, boundariesMs } = planSchedule({ seed: 3, minutes: 10 })
  expect(boundariesMs.length).toBeGreaterThanOrEqual(5)
  expect(faults.some((fault, index) => (faults[index + 1]?.startMs ?? Number.POSITIVE_INFINITY) < fault.endMs)).toBe(
    true,
  )
})

test('error: a length that cannot hold every fault is refused', () => {
  expect(() => planSchedule({ seed: 1, minutes: 2 })).toThrow('Give it longer')
})
