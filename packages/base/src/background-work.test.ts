import { expect, test } from 'vitest'
import { runOneAtATime } from './background-work.ts'

/** Creates work whose runs the test ends. */
function createWork() {
  const runs: { end: (error?: Error) => void }[] = []
  let active = 0
  let activeMax = 0
  const run = runOneAtATime(async () => {
    activeMax = Math.max(activeMax, ++active)
    const ended = new Promise<void>((resolve, reject) => {
      runs.push({ end: (error) => (error ? reject(error) : resolve()) })
    })
    await ended.finally(() => {
      active -= 1
    })
  })
  return { run, runs, activeMax: () => activeMax }
}

const wait = async (microtasks: number) => {
  for (let turn = 0; turn < microtasks; turn++) await undefined
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('default: calls during a run share the next run', async () => {
  const { run, runs } = createWork()
  const first = run()
  await settled()
  const others = [run(), run()]
  runs[0]?.end()
  await first
  await settled()
  expect(runs).toHaveLength(2)
  runs[1]?.end()
  await Promise.all(others)
})

test.each(Array.from({ length: 12 }, (_, count) => count))(
  'behavior: a call %i microtasks after the end of a run with a waiting call starts no second run beside it',
  async (count) => {
    const { run, runs, activeMax } = createWork()
    const calls = [run()]
    await settled()
    calls.push(run())
    runs[0]?.end()
    await wait(count)
    calls.push(run())
    for (let index = 1; index < 3; index++) {
      await settled()
      runs[index]?.end()
    }
    await Promise.all(calls)
    expect(activeMax()).toBe(1)
  },
)

test('error: a failed run rejects its callers only, and the next one runs', async () => {
  const { run, runs } = createWork()
  const failing = run()
  await settled()
  const next = run()
  runs[0]?.end(new Error('no database'))
  await expect(failing).rejects.toThrow('no database')
  await settled()
  runs[1]?.end()
  await next
})
