import type { Time } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { LRUCache } from 'lru-cache'

/** Admits work of a caller, or throws `rate_limited`. */
export type TimeBudget = (caller: string) => AdmittedWork

/** Work that was admitted. Time in the queue, before `begin`, is not counted. */
type AdmittedWork = { begin(): void; end(): void }

// Running work is not yet counted, so its number is limited.
const runningMax = 8
// About 100 bytes each. The least recently used caller is forgotten.
const callersMax = 50_000

type Account = { leftMs: number; atMs: number; running: number }

type TimeBudgetOptions = {
  readonly msPerMinute: number | null
  readonly time: Pick<Time, 'monotonic'>
}

/**
 * Limits the working time of a caller. Each caller has a balance of at most `msPerMinute`, refilled by `msPerMinute` per
 * minute. Time is charged when the work ends, so the balance may become negative. Then the caller must wait. Null is
 * unlimited.
 */
export function createTimeBudget({ msPerMinute, time }: TimeBudgetOptions): TimeBudget {
  if (msPerMinute === null) return () => unlimited
  const perMs = msPerMinute / 60_000
  // Created for the first request, because it reserves its memory at once.
  let accounts: LRUCache<string, Account> | undefined
  const refill = (account: Account, nowMs: number) => {
    account.leftMs = Math.min(msPerMinute, account.leftMs + (nowMs - account.atMs) * perMs)
    account.atMs = nowMs
  }
  return (caller) => {
    const admittedMs = time.monotonic()
    accounts ??= new LRUCache({ max: callersMax })
    const account = accounts.get(caller) ?? { leftMs: msPerMinute, atMs: admittedMs, running: 0 }
    accounts.set(caller, account)
    refill(account, admittedMs)
    if (account.leftMs <= 0) {
      const seconds = Math.max(1, Math.ceil(-account.leftMs / perMs / 1000))
      const used = `Your address has used its query time of ${msPerMinute} ms per minute.`
      throw limited(`${used} Try again in ${seconds} seconds, and request less per query.`, seconds)
    }
    if (account.running >= runningMax) throw limited(tooManyRunning, 1)
    account.running += 1
    let startedMs: number | undefined
    return {
      begin: () => {
        startedMs = time.monotonic()
      },
      end: () => {
        const nowMs = time.monotonic()
        refill(account, nowMs)
        account.running -= 1
        account.leftMs -= nowMs - (startedMs ?? nowMs)
      },
    }
  }
}

const unlimited: AdmittedWork = { begin: () => undefined, end: () => undefined }

const tooManyRunning = `Your address has ${runningMax} queries running, which is the limit. Wait for one to finish.`

function limited(message: string, retryAfterSeconds: number): TallystickError {
  return new TallystickError({ code: 'rate_limited', message, retryable: true, retryAfterSeconds })
}
