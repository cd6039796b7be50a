// An upstream may ask for hours. After two minutes one light query asks whether it still means it.
export const retryAfterSecondsMax = 120

/**
 * How long a Retry-After header asks to wait (RFC 9110 §10.2.3: seconds or a date), at most two minutes. Undefined if it
 * says nothing that makes sense. A date is taken against the server's own `Date` where it sent one.
 */
export function parseRetryAfter({
  retryAfter,
  date,
  nowMs,
}: {
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly nowMs: number
}): number | undefined {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), retryAfterSecondsMax)
  // Date.parse takes much that is no HTTP date, such as "-5" or "soon 1".
  if (!/^[A-Z][a-z]{2,8},? .*GMT$/.test(text)) return undefined
  const untilMs = Date.parse(text)
  const serverNowMs = Date.parse(date ?? '')
  const seconds = Math.ceil((untilMs - (Number.isNaN(serverNowMs) ? nowMs : serverNowMs)) / 1000)
  return Number.isNaN(seconds) || seconds < 0 ? undefined : Math.min(seconds, retryAfterSecondsMax)
}
