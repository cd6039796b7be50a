import { eventTopics } from '@tallystick/contracts/event-topics'
import { expect, test } from 'vitest'
import {
  blockOf,
  createMemory,
  dailyIncome,
  empty,
  hash,
  log,
  pool,
  positions,
  previousIncomes,
  run,
  startsAt,
  today,
} from '../../test/protocol-logs.ts'
import type { BlockLogs, Log } from '../follow/mapping.ts'
import { createProtocolMapping } from './create-protocol-mapping.ts'

const uintMax = 2n ** 256n - 1n
const mapping = createProtocolMapping({ pool, positions })

/** Returns what each block changes: day, income, sum and, if it is not the block's time, `updatedAt`. */
async function mapIncomes(history: readonly (readonly Log[])[], { isSplit = false } = {}) {
  const blocks = history.map((logs, index) => laterBlock(index + 1, logs))
  const parts = isSplit ? blocks.map((block) => [block]) : [blocks]
  const memory = createMemory()
  const incomes: unknown[] = []
  let lastDay: unknown
  for (const part of parts) {
    for (const { changes } of await mapping.map(part, memory.load, run)) {
      memory.keep(changes)
      const days = changes.filter(({ entity }) => entity === 'FloatingIncome').map(({ set }) => set!)
      days.sort((a, b) => Number(a['day']) - Number(b['day']))
      incomes.push(days.map((day) => [Number(day['day']) - today, day['floatingIncome'], day['accFloatingIncome']]))
      lastDay = changes.find(({ entity }) => entity === 'Pool')?.set?.['lastFloatingIncomeDay'] ?? lastDay
    }
  }
  const days = await memory.load(
    'FloatingIncome',
    Array.from({ length: 12 }, (_, index) => String(today - index)),
  )
  const updates = [...days.values()].map(({ day, updatedAt }) => [Number(day) - today, Number(updatedAt) - startsAt])
  return { incomes, lastDay, updates: Object.fromEntries(updates) }
}

/** A block whose time is its number after the start. */
function laterBlock(number: number, logs: readonly Log[]): BlockLogs {
  const { block } = blockOf(number, logs)
  return { block: { ...block, timestamp: startsAt + number }, logs }
}

const reported = previousIncomes(today - 5, [
  [5n, 5n],
  [6n, 11n],
  [7n, 18n],
])

test.each([{ isSplit: false }, { isSplit: true }])(
  'default: a restatement changes the income of the day after it, which keeps its sum (%o)',
  async (options) => {
    const restated = previousIncomes(today - 5, [[9n, 9n]])
    expect(await mapIncomes([[reported], [restated]], options)).toEqual({
      incomes: [
        [
          [-5, '5', '5'],
          [-4, '6', '11'],
          [-3, '7', '18'],
        ],
        [
          [-5, '9', '9'],
          [-4, '2', '11'],
        ],
      ],
      lastDay: today - 3,
      updates: { '-5': 2, '-4': 2, '-3': 1 },
    })
  },
)

test('behavior: a restatement of the last day, or one that leaves the sum of its last day, changes named days only', async () => {
  const last = previousIncomes(today - 3, [[8n, 19n]])
  const sameSum = previousIncomes(today - 5, [
    [1n, 1n],
    [10n, 11n],
  ])
  const { incomes, updates } = await mapIncomes([[reported], [last], [sameSum]])
  expect(incomes.slice(1)).toEqual([
    [[-3, '8', '19']],
    [
      [-5, '1', '1'],
      [-4, '10', '11'],
    ],
  ])
  expect(updates).toEqual({ '-5': 3, '-4': 3, '-3': 2 })
})

test('behavior: days reported before the first one reduce its income', async () => {
  const earlier = previousIncomes(today - 7, [
    [1n, 1n],
    [3n, 4n],
  ])
  const { incomes, lastDay } = await mapIncomes([[reported], [earlier]], { isSplit: true })
  expect(incomes[1]).toEqual([
    [-7, '1', '1'],
    [-6, '3', '4'],
    [-5, '1', '5'],
  ])
  expect(lastDay).toBe(today - 3)
})

test('behavior: a report that ends before a day without income changes no other day', async () => {
  const { incomes, lastDay } = await mapIncomes([[reported], [previousIncomes(today - 8, [[0n, 0n]])]])
  expect(incomes[1]).toEqual([[-8, '0', '0']])
  expect(lastDay).toBe(today - 3)
})

test.each([{ isSplit: false }, { isSplit: true }])(
  'behavior: several reports in one block are applied in their order (%o)',
  async (options) => {
    const logs = [
      reported,
      previousIncomes(today - 4, [[10n, 15n]]),
      dailyIncome(today - 2, [4n, 22n]),
      previousIncomes(today - 3, [[2n, 17n]]),
      previousIncomes(today - 5, [[0n, 0n]]),
    ]
    const { incomes, lastDay } = await mapIncomes([logs, [dailyIncome(today - 1, [1n, 23n])]], options)
    expect(incomes).toEqual([
      [
        [-5, '0', '0'],
        [-4, '15', '15'],
        [-3, '2', '17'],
        [-2, '5', '22'],
      ],
      [[-1, '1', '23']],
    ])
    expect(lastDay).toBe(today - 1)
  },
)

test('behavior: the largest sums are subtracted exactly', async () => {
  const largest = previousIncomes(today - 2, [
    [0n, 0n],
    [uintMax, uintMax],
  ])
  const { incomes } = await mapIncomes([[largest], [previousIncomes(today - 2, [[uintMax - 1n, uintMax - 1n]])]])
  expect(incomes[1]).toEqual([
    [-2, String(uintMax - 1n), String(uintMax - 1n)],
    [-1, '1', String(uintMax)],
  ])
})

test('behavior: a report of no days changes nothing', async () => {
  expect(await mapIncomes([[previousIncomes(today - 5, [])]])).toEqual({
    incomes: [[]],
    lastDay: undefined,
    updates: {},
  })
})

const day = BigInt(today - 5)
test.each([
  ['more incomes than sums', [day, 96n, 192n, 2n, 1n, 2n, 1n, 1n], 'has 2 incomes and 1 sums'],
  ['more sums than incomes', [day, 96n, 160n, 1n, 1n, 2n, 1n, 2n], 'has 1 incomes and 2 sums'],
  ['a list that is too long', [day, 96n, 160n, uintMax, 1n, 1n, 1n], 'has no word 7 in its data'],
  ['an offset beyond its data', [day, 96n, 320n, 1n, 1n], 'has no word 10 in its data'],
  ['an offset inside a word', [day, 97n, 160n, 1n, 1n, 1n, 1n], 'has no list at its word 1'],
  ['the largest offset', [day, uintMax, 160n, 1n, 1n, 1n, 1n], 'has no list at its word 1'],
  ['the largest day', [uintMax, 96n, 160n, 1n, 1n, 1n, 1n], `reports day ${uintMax}`],
  ['a day that is no Int', [2n ** 31n - 1n, 96n, 160n, 1n, 1n, 1n, 1n], 'reports day 2147483647'],
])('error: a restatement with %s is refused', async (_, words, message) => {
  const malformed = log(pool, { topics: [eventTopics.UpdatePreviousFloatingIncome], words })
  await expect(mapping.map([blockOf(1, [malformed])], empty, run)).rejects.toThrow(
    `Log 0 of transaction ${hash} with topic ${eventTopics.UpdatePreviousFloatingIncome} ${message}.`,
  )
})
