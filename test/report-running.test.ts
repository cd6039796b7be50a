import { expect, test } from 'vitest'
import { createProgress } from './set-up/report-running.ts'

type State = 'pending' | 'passed'

/** Builds a file with tests of these states, and a clock that the test moves. */
function createRun(states: Readonly<Record<string, State>>) {
  let nowMs = 0
  const tests = Object.entries(states).map(([fullName, state]) => ({ fullName, result: () => ({ state }) as never }))
  const module = { relativeModuleId: 'a.test.ts', children: { allTests: () => tests } }
  const progress = createProgress({ now: () => nowMs, hangMs: 60_000 })
  return { progress, module, advanceTo: (ms: number) => (nowMs = ms) }
}

test('default: names the first test without a result after 30 s, and again after another 30 s', () => {
  const { progress, module, advanceTo } = createRun({ one: 'passed', two: 'pending', three: 'pending' })
  progress.start(module)
  advanceTo(29_999)
  expect(progress.findQuiet()).toEqual([])
  advanceTo(30_000)
  expect(progress.findQuiet()).toEqual(['a.test.ts > two (30 s)'])
  expect(progress.findQuiet()).toEqual([])
  advanceTo(60_000)
  expect(progress.findQuiet()).toEqual(['a.test.ts > two (60 s)'])
})

test('behavior: a result, a hook or the end of a file starts the 30 s again', () => {
  const { progress, module, advanceTo } = createRun({ one: 'pending' })
  progress.start(module)
  advanceTo(20_000)
  progress.advance(module)
  advanceTo(49_999)
  expect(progress.findQuiet()).toEqual([])
  progress.end(module)
  advanceTo(200_000)
  expect(progress.findQuiet()).toEqual([])
})

test('behavior: a file that has no tests yet is named by its path', () => {
  const { progress, module, advanceTo } = createRun({})
  progress.start(module)
  advanceTo(31_000)
  expect(progress.findQuiet()).toEqual(['a.test.ts (31 s)'])
})

test('error: a worker that reports nothing for longer than the limit is blocked', () => {
  const { progress, module, advanceTo } = createRun({ one: 'pending' })
  progress.start(module)
  advanceTo(75_000)
  expect(progress.findBlocked()).toEqual([])
  advanceTo(75_001)
  expect(progress.findBlocked()).toEqual(['a.test.ts > one'])
})

test('behavior: a file that has ended is not running, whatever is reported of it later', () => {
  const { progress, module, advanceTo } = createRun({ one: 'passed' })
  progress.start(module)
  progress.end(module)
  progress.advance(module)
  progress.start(module)
  advanceTo(200_000)
  expect(progress.findBlocked()).toEqual([])
  expect(progress.findQuiet()).toEqual([])
})
