import { backoffMs } from '@tallystick/base/pure'
import { type Attempt, delaySecondsMax } from './attempt.ts'
import type { Hook } from './hook.ts'

/** State of a hook after a failed attempt: the next attempt, or why it is switched off. */
export type RetryPlan = {
  readonly attempts: number
  readonly failingSince: bigint
  readonly nextAttemptAt: bigint | null
  readonly disabledReason: string | null
}

const delayMsMin = 5_000
const retrySeconds = 3n * 86_400n
// After a jump of the clock, or days without a running service, three days are over without attempts.
const attemptsMin = 12

/** Plans the next attempt: after 5 s, then twice as long each time, up to 3 h, for three days. */
export function planRetry(
  hook: Pick<Hook, 'attempts' | 'failingSince'>,
  {
    attempt,
    nowSeconds,
    random,
  }: { readonly attempt: Attempt; readonly nowSeconds: bigint; readonly random: () => number },
): RetryPlan {
  const attempts = hook.attempts + 1
  // The earlier one: the clock may have been set back.
  const failingSince = hook.failingSince !== null && hook.failingSince < nowSeconds ? hook.failingSince : nowSeconds
  const off = (disabledReason: string) => ({ attempts, failingSince, nextAttemptAt: null, disabledReason })
  if (attempt.isGone) return off('the receiver responded with 410 Gone')
  if (attempts >= attemptsMin && nowSeconds - failingSince >= retrySeconds) {
    return off(`no delivery succeeded for 3 days (${attempts} attempts), last: ${attempt.error}`)
  }
  const ownMs = backoffMs(hook.attempts, { minMs: delayMsMin, maxMs: delaySecondsMax * 1000, random })
  const delaySeconds = Math.max(Math.ceil(ownMs / 1000), attempt.retryAfterSeconds ?? 0)
  return { attempts, failingSince, nextAttemptAt: nowSeconds + BigInt(delaySeconds), disabledReason: null }
}
