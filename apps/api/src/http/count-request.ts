import { TallystickError } from '@tallystick/core'
import type { FastifyReply } from 'fastify'
import { formatRate, type RateWindow } from '../keys/rate-window.ts'

/** Counts a request and sets the rate limit headers. Throws `rate_limited` if the limit is exceeded. */
export function countRequest(
  window: RateWindow,
  { reply, monotonicMs, whose }: { readonly reply: FastifyReply; readonly monotonicMs: number; readonly whose: string },
): void {
  const rate = window.take(monotonicMs)
  const { allowed, resetSeconds } = rate
  reply.header('ratelimit-policy', window.policy)
  reply.header('ratelimit', formatRate(rate))
  if (allowed) return
  throw new TallystickError({
    code: 'rate_limited',
    message: `${whose} is allowed ${window.limit} requests a minute. Try again in ${resetSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  })
}
