import { expect, test } from 'vitest'
import type { Attempt } from './attempt.ts'
import { planRetry } from './plan-retry.ts'

const failed: Attempt = { isDelivered: false, status: 500, error: 'status 500', durationMs: 1, response: null }
const fresh = { attempts: 0, failingSince: null }
const now = 1_800_000_000n
const half = () => 0.5

/** Runs attempts that all fail until the hook is switched off. Returns the seconds at which they ran. */
function failUntilOff(attempt: Attempt, random: () => number) {
  const times: number[] = []
  let hook: { attempts: number; failingSince: bigint | null } = fresh
  let nowSeconds = now
  for (;;) {
    times.push(Number(nowSeconds - now))
    const plan = planRetry(hook, { attempt, nowSeconds, random })
    if (plan.nextAttemptAt === null) return { times, reason: plan.disabledReason }
    hook = plan
    nowSeconds = plan.nextAttemptAt
  }
}

test.each([0, 0.5, 0.999])('default: attempts back off to 3 h and end after three days (random %d)', (value) => {
  const { times, reason } = failUntilOff(failed, () => value)
  const delays = times.slice(1).map((time, index) => time - (times[index] as number))
  expect(delays[0]).toBeGreaterThanOrEqual(3)
  expect(delays[0]).toBeLessThanOrEqual(5)
  expect(Math.max(...delays)).toBeLessThanOrEqual(3 * 3600)
  expect(times.at(-2)).toBeLessThan(3 * 86_400)
  expect(times.at(-1)).toBeGreaterThanOrEqual(3 * 86_400)
  expect(times.at(-1)).toBeLessThan(3 * 86_400 + 3 * 3600)
  expect(times.length).toBeGreaterThan(30)
  expect(reason).toBe(`no delivery succeeded for 3 days (${times.length} attempts), last: status 500`)
})

test('behavior: the last second before three days is retried, the next one is not', () => {
  const hook = { attempts: 40, failingSince: now }
  expect(planRetry(hook, { attempt: failed, nowSeconds: now + 259_199n, random: half }).disabledReason).toBeNull()
  expect(planRetry(hook, { attempt: failed, nowSeconds: now + 259_200n, random: half }).disabledReason).not.toBeNull()
})

test('behavior: a clock that jumps over three days does not switch a hook off after few attempts', () => {
  const hook = { attempts: 2, failingSince: now }
  const plan = planRetry(hook, { attempt: failed, nowSeconds: now + 400_000n, random: half })
  expect(plan).toMatchObject({ disabledReason: null, attempts: 3 })
})

test('behavior: a clock that is set back begins the three days again', () => {
  const hook = { attempts: 2, failingSince: now }
  expect(planRetry(hook, { attempt: failed, nowSeconds: now - 9n, random: half }).failingSince).toBe(now - 9n)
})

test('behavior: Retry-After delays the attempt, but does not bring it forward', () => {
  const at = (retryAfterSeconds: number) =>
    planRetry(fresh, { attempt: { ...failed, retryAfterSeconds }, nowSeconds: now, random: () => 0.999 }).nextAttemptAt
  expect([at(0), at(4), at(6), at(10_800)]).toEqual([now + 5n, now + 5n, now + 6n, now + 10_800n])
  const { times } = failUntilOff({ ...failed, retryAfterSeconds: 10_800 }, half)
  expect(times.length).toBe(25)
})

test('behavior: 410 switches a hook off at once', () => {
  const plan = planRetry(fresh, { attempt: { ...failed, status: 410, isGone: true }, nowSeconds: now, random: half })
  expect(plan).toMatchObject({ nextAttemptAt: null, disabledReason: 'the receiver responded with 410 Gone' })
})
