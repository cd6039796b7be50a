import { expect, test } from 'vitest'
import { findStop, flagBottom, plotOf, thinTicks } from './chart-layout.ts'

test('default: a position belongs to the stop whose end is right of it, and beyond all of them to the last', () => {
  const stops = [
    { x: 10, until: 20 },
    { x: 30, until: 40 },
    { x: 50, until: 60 },
  ]
  expect([-5, 0, 19.9, 20, 39, 59, 60, 1e6].map((x) => findStop(stops, x))).toEqual([0, 0, 0, 1, 1, 2, 2, 2])
  expect(findStop([{ x: 1, until: 2 }], 5)).toBe(0)
})

test('behavior: the label of the cursor has its own space above the plot', () => {
  const plot = plotOf({ width: 252, height: 340 }, 18)
  expect(plot.top).toBeGreaterThan(flagBottom)
  expect(plot.right - plot.left).toBeGreaterThan(150)
})

test('behavior: a tick whose label would touch the one before has none', () => {
  const ticks = [0, 17, 18, 30, 60].map((x) => ({ x, label: '30' }))
  expect(thinTicks(ticks).map(({ x }) => x)).toEqual([0, 18, 60])
  expect(thinTicks([])).toEqual([])
})
