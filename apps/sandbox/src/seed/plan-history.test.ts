import { maturityOf, periodAt } from '@tallystick/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daySeconds, type Step } from './history.ts'
import { planHistory } from './plan-history.ts'

// 2024 to 2032, including the seconds around UTC midnights.
const instant = fc.oneof(
  fc.bigInt(1_704_067_200n, 1_956_528_000n),
  fc.bigInt(19_723n, 22_645n).chain((day) => fc.bigInt(-3n, 310n).map((second) => day * daySeconds + second)),
)
const chain = fc.constantFrom(324, 8453)

function checkHistories(numRuns: number) {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 400 }), chain, (nowSeconds, positionCount, chainId) => {
      const { startsAt, steps } = planHistory({ nowSeconds, positionCount, chainId })
      const seconds = steps.map(({ at }) => at)
      expect(seconds.every((at, index) => at > (seconds[index - 1] ?? startsAt + 3_600n))).toBe(true)
      expect(seconds.at(-1)! <= nowSeconds).toBe(true)
      expect(faultsOf(steps)).toEqual([])
      expect(daysOf(steps)).toEqual(Array.from({ length: 60 }, (_, index) => startsAt / daySeconds + BigInt(index)))
      expect(startsAt / daySeconds + 60n).toBe(nowSeconds / daySeconds)
    }),
    { numRuns },
  )
}

test('default: for every instant, all steps are before it, in order, and valid for the pool', () => checkHistories(10))

test('default: the same for 60 instants', { tags: ['slow'] }, () => checkHistories(60))

test('behavior: the same options result in the same history', () => {
  const options = { nowSeconds: 1_794_713_636n, positionCount: 40 }
  expect(planHistory(options)).toEqual(planHistory(options))
})

test('behavior: each chain has a different history that starts in the same second', () => {
  const options = { nowSeconds: 1_794_713_636n, positionCount: 40 }
  const [first, second] = [324, 8453].map((chainId) => planHistory({ ...options, chainId }))
  const positionsOf = (history: typeof first) =>
    history!.steps.flatMap((step) => (step.kind === 'lend' ? step.positions : []))
  expect(second!.startsAt).toBe(first!.startsAt)
  expect(positionsOf(second)).toHaveLength(40)
  const copied = positionsOf(second).filter(
    ({ principal }, index) => principal === positionsOf(first)[index]!.principal,
  )
  expect(copied.length).toBeLessThan(4)
})

test('behavior: 40 positions result in all kinds of steps', () => {
  const { steps } = planHistory({ nowSeconds: 1_794_713_636n, positionCount: 40 })
  const count = (kind: Step['kind']) => steps.filter((step) => step.kind === kind).length
  expect(count('lend')).toBe(40)
  expect([count('pause'), count('unpause'), count('income')]).toEqual([1, 1, 58])
  expect(count('transfer')).toBeGreaterThan(2)
  expect(count('claim')).toBeGreaterThan(5)
})

/** Returns the steps that the pool would reject, and the claims that would lose income. */
function faultsOf(steps: readonly Step[]): string[] {
  const faults: string[] = []
  const owners = new Map<bigint, { owner: number; maturity: bigint }>()
  let paused = false
  let lastDay = 0n
  for (const step of steps) {
    if (step.kind === 'income') lastDay = step.firstDay + BigInt(step.incomes.length) - 1n
    if (step.kind === 'pause' || step.kind === 'unpause') paused = step.kind === 'pause'
    if (paused && (step.kind === 'lend' || step.kind === 'claim'))
      faults.push(`${step.kind} at ${step.at} while paused`)
    if (step.kind === 'lend') {
      const { noteDay } = periodAt(step.at)
      for (const { tokenId, beneficiary, tenorDays } of step.positions) {
        if (tokenId !== BigInt(owners.size + 1)) faults.push(`${tokenId} is out of order`)
        const maturity = maturityOf({ noteDay, tenorDays })
        owners.set(tokenId, { owner: beneficiary, maturity })
      }
    }
    if (step.kind === 'transfer') {
      for (const { tokenId, from, to } of step.transfers) {
        const position = owners.get(tokenId)
        if (position?.owner !== from || from === to)
          faults.push(`${tokenId} cannot be transferred from ${from} to ${to}`)
        if (position) position.owner = to
      }
    }
    if (step.kind === 'claim') {
      for (const { tokenId, owner } of step.claims) {
        const position = owners.get(tokenId)
        if (position?.owner !== owner || position.maturity > step.at) faults.push(`${tokenId} cannot be claimed`)
        if (position && lastDay < position.maturity / daySeconds) faults.push(`${tokenId} is claimed too early`)
        owners.set(tokenId, { owner: -1, maturity: 0n })
      }
    }
  }
  return faults
}

/** Returns the days with an income in order. The pool rejects a day whose predecessor has none. */
function daysOf(steps: readonly Step[]): bigint[] {
  return steps.flatMap((step) =>
    step.kind === 'income' ? step.incomes.map((_, index) => step.firstDay + BigInt(index)) : [],
  )
}
