import { expect, test } from 'vitest'
import { layOutUse } from './lay-out-use.ts'

test('default: the bars of an hour are stacked, and the highest hour reaches the top', () => {
  const hours = ['2026-11-15T16:00:00Z', '2026-11-15T17:00:00Z', '2026-11-15T18:00:00Z']
  const { bars, highest } = layOutUse({ hours, byScope: { notes: [6, 0, 1], data: [0, 0, 1], rate: [2, 0, 0] } })
  expect(highest).toBe(8)
  expect(bars.map(({ total, parts }) => [total, parts])).toEqual([
    [
      8,
      [
        { scope: 'notes', from: 0, to: 0.75 },
        { scope: 'rate', from: 0.75, to: 1 },
      ],
    ],
    [0, []],
    [
      2,
      [
        { scope: 'notes', from: 0, to: 0.125 },
        { scope: 'data', from: 0.125, to: 0.25 },
      ],
    ],
  ])
})

test('behavior: a key that was never used has no bars', () => {
  expect(layOutUse({ hours: ['2026-11-15T16:00:00Z'], byScope: { notes: [0], data: [0], rate: [0] } })).toMatchObject({
    highest: 0,
    bars: [{ total: 0, parts: [] }],
  })
})
