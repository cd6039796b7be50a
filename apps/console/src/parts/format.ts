import type { CurvePoints } from '@tallystick/core'
import { formatInstant, newYorkZone } from '@tallystick/ui'

/**
 * Formats an ISO 8601 instant in New York time.
 *
 * @example
 * formatIso('2026-11-13T23:00:00Z') // '13 Nov 2026, 18:00'
 */
export function formatIso(iso: string): string {
  return formatInstant(BigInt(Math.floor(Date.parse(iso) / 1000)), newYorkZone)
}

/**
 * Formats a number of seconds in its two largest units.
 *
 * @example
 * formatSeconds(3_725) // '1 h 2 min'
 */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const units = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  if (first === -1) return '0 s'
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Parses coupons as they are typed. Throws an error that lists all faults if there are any. */
export function parsePoints(texts: Readonly<Record<string, string>>): CurvePoints {
  const given = Object.entries(texts).filter(([, text]) => text.trim() !== '')
  const faults = given
    .filter(([, text]) => !/^[1-9]\d{0,5}$/.test(text.trim()))
    .map(
      ([tenor, text]) => `${tenor} days: "${text.trim().slice(0, 20)}" is not a whole number of basis points above 0`,
    )
  if (given.length === 0) throw new Error('Give at least one coupon.')
  if (faults.length > 0) throw new Error(`${faults.join('; ')}.`)
  return Object.fromEntries(given.map(([tenor, text]) => [tenor, Number(text.trim())]))
}

export function formatPoints(points: CurvePoints): string {
  return Object.entries(points)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([tenor, bps]) => `${tenor}=${bps}`)
    .join(' ')
}

/** Parses a limit as it is typed. Returns null, no limit, for an empty text. */
export function parseLimit(text: string, most: number): number | null {
  const typed = text.trim()
  if (typed === '') return null
  if (/^[1-9]\d{0,9}$/.test(typed) && Number(typed) <= most) return Number(typed)
  throw new Error(`"${typed.slice(0, 20)}" is not a whole number from 1 to ${most}. Leave it empty for no limit.`)
}

/** How long an old secret may live beside a new one. */
export const graceOptions = [0, 3_600, 86_400, 7 * 86_400, 30 * 86_400].map(
  (seconds) => [seconds, seconds === 0 ? 'not at all: it leaked' : `for ${formatSeconds(seconds)}`] as const,
)

/** Formats JSON with line breaks. Returns other texts as they are. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Formats an instant of this browser's clock as time of day in this browser's time zone. */
export function formatClockTime(atMs: number): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(atMs)
}

/** Begins a sentence of the service with a capital letter. On the command line it follows a name. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
