import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClosers } from './closers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise(() => undefined)
const within = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms))

/** Closes the given parts, in their order, and returns what was left, when, and which were begun. */
async function close(parts: Readonly<Record<string, () => unknown>>, limitMs: number) {
  const closers = createClosers()
  const begun: string[] = []
  for (const [part, run] of Object.entries(parts).reverse()) {
    closers.push(part, () => {
      begun.push(part)
      return run()
    })
  }
  const startedMs = performance.now()
  const closing = closers.close(limitMs).then((left) => ({ left, tookMs: performance.now() - startedMs, begun }))
  await vi.runAllTimersAsync()
  return closing
}

test('default: closes the parts in reverse order, one after the other', async () => {
  const order: string[] = []
  const say = (word: string) => () => void order.push(word)
  const first = async () => {
    await within(300)()
    order.push('first')
  }
  expect(await close({ first, second: say('second'), third: say('third') }, 1_000)).toMatchObject({
    left: [],
    tookMs: 300,
  })
  expect(order).toEqual(['first', 'second', 'third'])
})

test('error: a part that does not end is left in time for the others', async () => {
  const { left, tookMs, begun } = await close({ listener: within(100), stuck: never, database: within(50) }, 1_000)
  expect([left, tookMs, begun]).toEqual([['stuck'], 850, ['listener', 'stuck', 'database']])
})

test('error: at the limit the rest is begun and left', async () => {
  const { left, tookMs, begun } = await close({ stuck: never, slow: never, late: within(1), done: () => 1 }, 1_000)
  expect([left, tookMs, begun]).toEqual([['stuck', 'slow', 'late'], 1_000, ['stuck', 'slow', 'late', 'done']])
})

test('error: a part that fails is named, and the others are closed', async () => {
  const fail = () => {
    throw new Error('disk full')
  }
  const { left, begun } = await close({ journal: fail, log: async () => fail(), database: () => 1 }, 1_000)
  expect([left, begun]).toEqual([
    ['journal (disk full)', 'log (disk full)'],
    ['journal', 'log', 'database'],
  ])
})

test('behavior: a second close does nothing', async () => {
  const closers = createClosers()
  const run = vi.fn()
  closers.push('part', run)
  expect([await closers.close(1_000), await closers.close(1_000), run.mock.calls.length]).toEqual([[], [], 1])
})
