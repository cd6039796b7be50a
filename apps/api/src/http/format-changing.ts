import type { KeyLimit } from '../keys/limits/key-limit.ts'
import { formatRate, type RateState } from '../keys/rate-window.ts'

/** Formats the header lines of one request. */
export function formatChanging(
  id: string,
  {
    limit,
    rate,
    lines = '',
  }: {
    readonly limit: KeyLimit | undefined
    readonly rate: RateState | undefined
    /** More lines, for the origin of the request. */
    readonly lines?: string | undefined
  },
): string {
  if (!limit || !rate) return `x-request-id: ${id}\r\n${lines}`
  return `x-request-id: ${id}\r\nratelimit-policy: ${limit.policy}\r\nratelimit: ${formatRate(rate)}\r\n${lines}`
}
