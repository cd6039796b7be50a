type RetryAfterOptions = {
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly nowMs: number
  readonly secondsMax: number
}

/**
 * Parses a Retry-After header (RFC 9110 §10.2.3: seconds or a date). Returns seconds, at most `secondsMax`, or undefined
 * if the header is invalid. A date is compared with the server's `Date` header if there is one.
 */
export function parseRetryAfter({ retryAfter, date, nowMs, secondsMax }: RetryAfterOptions): number | undefined {
  if (retryAfter === undefined) return undefined
  const text = retryAfter.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), secondsMax)
  // Date.parse accepts text that is not an HTTP date, such as "-5" or "soon 1".
  if (!/^[A-Z][a-z]{2,8},? .*GMT$/.test(text)) return undefined
  const untilMs = Date.parse(text)
  const serverNowMs = Date.parse(date ?? '')
  const seconds = Math.ceil((untilMs - (Number.isNaN(serverNowMs) ? nowMs : serverNowMs)) / 1000)
  return Number.isNaN(seconds) || seconds < 0 ? undefined : Math.min(seconds, secondsMax)
}
