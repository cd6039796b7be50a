import { expect, test } from 'vitest'
import { createReachability } from './create-reachability.ts'

/** A page whose time passes by `pass`, and a service that answers, fails or hangs. */
function createPage() {
  let nowMs = 1_000_000
  let timers: { readonly run: () => void; readonly atMs: number }[] = []
  const service = { mode: 'answers' as 'answers' | 'fails' | 'lies' | 'hangs' }
  const page = { isVisible: true, askedAtMs: [] as number[], hangingMax: 0 }
  let hanging = 0
  const reachability = createReachability({
    ask: async (signal) => {
      page.askedAtMs.push(nowMs)
      if (service.mode === 'fails') throw new TypeError('Failed to fetch')
      if (service.mode !== 'hangs') return service.mode === 'answers'
      page.hangingMax = Math.max(page.hangingMax, ++hanging)
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          hanging--
          reject(signal.reason)
        }),
      )
    },
    now: () => nowMs,
    random: () => 0.999,
    setTimer: (run, delayMs) => {
      const timer = { run, atMs: nowMs + delayMs }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    isVisible: () => page.isVisible,
    onChange: () => undefined,
  })
  const pass = async (seconds: number) => {
    const endMs = nowMs + seconds * 1000
    for (;;) {
      const [next] = timers.toSorted((a, b) => a.atMs - b.atMs)
      if (!next || next.atMs > endMs) break
      timers = timers.filter((timer) => timer !== next)
      nowMs = Math.max(nowMs, next.atMs)
      next.run()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
    nowMs = endMs
  }
  reachability.start()
  return { reachability, service, page, pass, now: () => nowMs }
}

test('default: a quiet page asks every 5 s, one whose requests are answered does not', async () => {
  const { reachability, page, pass } = createPage()
  await pass(60)
  expect(page.askedAtMs.length).toBe(12)
  for (let count = 0; count < 30; count++) {
    reachability.heard()
    await pass(2)
  }
  expect(page.askedAtMs.length).toBe(12)
  expect(reachability.get()).toMatchObject({ isLost: false, recoveries: 0 })
})

test.each(['fails', 'lies', 'hangs'] as const)(
  'error: a service that %s is lost within 10 s, and back within 5 s',
  async (mode) => {
    const { reachability, service, page, pass, now } = createPage()
    for (const offset of [0, 1.3, 2.6, 3.9, 4.9]) {
      service.mode = 'answers'
      await pass(20 + offset)
      expect(reachability.get().isLost).toBe(false)
      const { recoveries } = reachability.get()
      service.mode = mode
      const lostAtMs = now()
      await pass(10)
      expect(reachability.get().isLost).toBe(true)
      expect(reachability.get().answeredAtMs).toBeLessThanOrEqual(lostAtMs)
      await pass(40 + offset)
      service.mode = 'answers'
      await pass(5)
      expect(reachability.get()).toMatchObject({ isLost: false, recoveries: recoveries + 1 })
    }
    expect(page.hangingMax).toBeLessThanOrEqual(3)
  },
)

test('error: a failed request of the page finds the loss at once, with one probe', async () => {
  const { reachability, service, page, pass } = createPage()
  await pass(1)
  service.mode = 'fails'
  const results = await Promise.all([reachability.check(), reachability.check(), reachability.check()])
  expect(results).toEqual([false, false, false])
  expect([reachability.get().isLost, page.askedAtMs.length]).toEqual([true, 1])
})

test('behavior: while the service is lost, a probe has to confirm that it is back', async () => {
  const { reachability, service, pass } = createPage()
  service.mode = 'lies'
  await pass(10)
  reachability.heard()
  await pass(1)
  expect(reachability.get().isLost).toBe(true)
})

test('behavior: a probe that hangs is no loss if another request was answered meanwhile', async () => {
  const { reachability, service, pass } = createPage()
  service.mode = 'hangs'
  for (let count = 0; count < 20; count++) {
    await pass(3)
    reachability.heard()
  }
  expect(reachability.get().isLost).toBe(false)
})

test('behavior: a long loss is probed every 15 s at most, and no probe is sent while the page is hidden', async () => {
  const { reachability, service, page, pass, now } = createPage()
  service.mode = 'fails'
  await pass(310)
  const eager = page.askedAtMs.length
  await pass(300)
  expect(page.askedAtMs.length - eager).toBeLessThanOrEqual(25)
  page.isVisible = false
  reachability.look()
  const before = page.askedAtMs.length
  reachability.doubt()
  reachability.heard()
  await pass(600)
  expect(page.askedAtMs.length).toBe(before)
  service.mode = 'answers'
  page.isVisible = true
  reachability.look()
  expect(page.askedAtMs.at(-1)).toBe(now())
  await pass(0)
  await expect.poll(() => reachability.get().isLost).toBe(false)
})
