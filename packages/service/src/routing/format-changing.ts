import { formatRate, type RateState } from '@tallystick/base'
import type { KeyLimit } from '@tallystick/keys'

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
