import { InvalidRequestError } from '../errors.ts'

// Timers have 31 bits of milliseconds on every platform. A longer one fires at once.
const timeoutSecondsMax = 2_147_483

/** Returns a timeout in ms. Throws if no timer can have it. */
export function parseTimeout(timeoutSeconds: number): number {
  if (timeoutSeconds > 0 && timeoutSeconds <= timeoutSecondsMax) return timeoutSeconds * 1000
  const message = `timeoutSeconds is ${timeoutSeconds}. Use a number above 0 and up to ${timeoutSecondsMax} (24.8 days).`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
