import { formatRate, type RateState, type RateWindow } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { FastifyReply } from 'fastify'

/** Counts a request and sets the rate limit headers. Throws `rate_limited` or `quota_exceeded` if not allowed. */
export function countRequest(
  window: Pick<RateWindow, 'policy' | 'take'> & { readonly limit?: number | undefined },
  { reply, monotonicMs, whose }: { readonly reply: FastifyReply; readonly monotonicMs: number; readonly whose: string },
): void {
  const rate = window.take(monotonicMs)
  reply.header('ratelimit-policy', window.policy)
  reply.header('ratelimit', formatRate(rate))
  if (rate.allowed) return
  throw limitExceeded(rate, { limit: rate.limit?.limit ?? window.limit, whose })
}

const units = { default: 'minute', burst: 'second', day: 'UTC day', month: 'UTC month' } as const

function limitExceeded(
  { resetSeconds, limit: exceeded }: RateState,
  { limit, whose }: { readonly limit: number | undefined; readonly whose: string },
): TallystickError {
  const name = exceeded?.name ?? 'default'
  return new TallystickError({
    code: name === 'day' || name === 'month' ? 'quota_exceeded' : 'rate_limited',
    message: `${whose} is allowed ${limit} requests a ${units[name]}. Try again in ${resetSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  })
}
