import { TallystickError } from '@tallystick/core'
import { LRUCache } from 'lru-cache'

/** Lets a caller in, or throws `rate_limited`. */
export type TimeBudget = (caller: string) => Visit

/** A piece of work that was let in. Waiting for its turn, before `begin`, is not counted. */
export type Visit = { begin(): void; end(): void }

// What has begun is not yet counted, so only so much may be under way at once.
const underWayMax = 8
// Each takes about 100 bytes; those that were quiet for longest are forgotten.
const callersMax = 50_000

type Account = { leftMs: number; atMs: number; underWay: number }

/**
 * Limits the time that the work of a caller takes, whatever its requests are like: each has `msPerMinute` in store, which
 * grows again by as much a minute. The time is taken when the work is done, so the store may fall below nothing; then the
 * caller waits. Null lets everything through.
 */
export function createTimeBudget({
  msPerMinute,
  monotonicNow,
}: {
  readonly msPerMinute: number | null
  readonly monotonicNow: () => number
}): TimeBudget {
  if (msPerMinute === null) return () => uncounted
  const perMs = msPerMinute / 60_000
  const accounts = new LRUCache<string, Account>({ max: callersMax })
  const refill = (account: Account, nowMs: number) => {
    account.leftMs = Math.min(msPerMinute, account.leftMs + (nowMs - account.atMs) * perMs)
    account.atMs = nowMs
  }
  return (caller) => {
    const enteredMs = monotonicNow()
    const account = accounts.get(caller) ?? { leftMs: msPerMinute, atMs: enteredMs, underWay: 0 }
    accounts.set(caller, account)
    refill(account, enteredMs)
    if (account.leftMs <= 0) throw usedUp(msPerMinute, Math.max(1, Math.ceil(-account.leftMs / perMs / 1000)))
    if (account.underWay >= underWayMax) throw tooManyAtOnce()
    account.underWay += 1
    let begunMs: number | undefined
    return {
      begin: () => {
        begunMs = monotonicNow()
      },
      end: () => {
        const nowMs = monotonicNow()
        refill(account, nowMs)
        account.underWay -= 1
        account.leftMs -= nowMs - (begunMs ?? nowMs)
      },
    }
  }
}

const uncounted: Visit = { begin: () => undefined, end: () => undefined }

function usedUp(msPerMinute: number, seconds: number): TallystickError {
  return new TallystickError({
    code: 'rate_limited',
    message:
      `Your address has used its query time of ${msPerMinute} ms per minute. ` +
      `Try again in ${seconds} seconds, and request less per query.`,
    retryable: true,
    retryAfterSeconds: seconds,
  })
}

function tooManyAtOnce(): TallystickError {
  return new TallystickError({
    code: 'rate_limited',
    message: `Your address has ${underWayMax} queries running, which is the limit. Wait for one to finish.`,
    retryable: true,
    retryAfterSeconds: 1,
  })
}
