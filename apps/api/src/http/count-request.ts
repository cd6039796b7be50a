import { TallystickError } from '@tallystick/core'
import type { FastifyReply } from 'fastify'
import { type RateWindow, rateWindowSeconds } from '../keys/rate-window.ts'

/** Counts a request, tells its sender how many are left, and throws `rate_limited` if none was. */
export function countRequest(
  window: RateWindow,
  { reply, monotonicMs, whose }: { readonly reply: FastifyReply; readonly monotonicMs: number; readonly whose: string },
): void {
  const { allowed, remaining, resetSeconds } = window.take(monotonicMs)
  reply.header('ratelimit-policy', `"default";q=${window.limit};w=${rateWindowSeconds}`)
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`)
  if (allowed) return
  throw new TallystickError({
    code: 'rate_limited',
    message: `${whose} is allowed ${window.limit} requests a minute. Try again in ${resetSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  })
}
