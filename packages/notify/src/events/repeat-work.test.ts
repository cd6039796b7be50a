import { systemTime } from '@tallystick/base'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { repeatWork } from './repeat-work.ts'

/** Starts work that fails when `fail` is called, and collects the log. */
function startFailing() {
  const lines: string[] = []
  let fail = (_: Error) => {}
  const work = () =>
    new Promise<void>((_, reject) => {
      fail = reject
    })
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const { stop } = repeatWork({
    work,
    time: systemTime,
    name: 'reading',
    delayMs: () => 60_000,
    log,
    failure: 'reading failed',
  })
  return { lines, stop, fail: () => fail(new Error('Cannot use a pool after calling end on the pool')) }
}

test('default: a failure is logged', async () => {
  const { lines, fail } = startFailing()
  fail()
  await vi.waitFor(() => expect(lines).toHaveLength(1))
})

test('behavior: work that fails after a stop, when the database is closed, is not logged', async () => {
  const { lines, stop, fail } = startFailing()
  const stopping = stop()
  fail()
  await stopping
  expect(lines).toEqual([])
})
