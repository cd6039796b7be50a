export const newYorkZone = 'America/New_York'

/** Bounds of a period in Unix seconds. */
export type PeriodBounds = { readonly periodStart: bigint; readonly periodEnd: bigint }

/** Returns whether an instant is later than Date supports. */
export function isFar(seconds: bigint): boolean {
  return seconds > 8_640_000_000_000n
}

/** Returns the visitor's time zone. */
export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/**
 * Returns the city of a time zone.
 *
 * @example
 * zoneName('America/New_York') // 'New York'
 */
export function zoneName(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
}

/**
 * Returns the date at an instant in a zone.
 *
 * @example
 * isoDate(1793574000, 'Asia/Tokyo') // '2026-11-02'
 */
export function isoDate(seconds: number, zone: string): string {
  return stampOf(seconds, zone).slice(0, 10)
}

/**
 * Returns 00:00 in a zone of the date that UTC has at an instant, in Unix seconds.
 *
 * @example
 * startOfDay(1793491200, 'America/New_York') // 1793505600, which is 2026-11-01 04:00 UTC
 */
export function startOfDay(utcMidnight: number, zone: string): number {
  const offsetAt = (seconds: number) => Date.parse(`${stampOf(seconds, zone)}Z`) / 1000 - seconds
  // The offset may change within the day: the second step takes that of midnight itself.
  const near = utcMidnight - offsetAt(utcMidnight)
  return utcMidnight - offsetAt(near)
}

function stampOf(seconds: number, zone: string): string {
  const [date = '', time = ''] = formatter(zone, stampOptions)
    .format(seconds * 1000)
    .split(', ')
  const [day, month, year] = date.split('/')
  return `${year}-${month}-${day}T${time}`
}

/**
 * Formats an instant in Unix seconds as date and time in a zone.
 *
 * @example
 * formatInstant(1793574000n, 'America/New_York') // '1 Nov 2026, 18:00'
 */
export function formatInstant(seconds: bigint, zone: string): string {
  const withSeconds = seconds % 60n !== 0n
  return formatter(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
  }).format(Number(seconds) * 1000)
}

/**
 * Formats an instant in Unix seconds as the time in a zone.
 *
 * @example
 * formatTime(1793573999n, 'America/New_York') // '17:59:59'
 */
export function formatTime(seconds: bigint, zone: string): string {
  return formatInstant(seconds, zone).split(', ')[1] as string
}

/**
 * Formats an instant in Unix seconds as a date in a zone.
 *
 * @example
 * formatDate(1793574000n, 'America/New_York') // '1 Nov 2026'
 */
export function formatDate(seconds: bigint, zone: string): string {
  return formatter(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(Number(seconds) * 1000)
}

/**
 * Returns a text of the service with its dates, which have no zone, in the format of the page.
 *
 * @example
 * formatDatesIn('The income of 2026-11-12 (UTC) has been set.') // 'The income of 12 Nov 2026 (UTC) has been set.'
 */
export function formatDatesIn(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\d\b(?!T)/g, (date) => {
    const at = Date.parse(date)
    return Number.isNaN(at) ? date : formatDate(BigInt(at / 1000), 'UTC')
  })
}

/**
 * Formats an instant in Unix seconds as day and month in a zone.
 *
 * @example
 * formatDayMonth(1793574000n, 'America/New_York') // '1 Nov'
 */
export function formatDayMonth(seconds: bigint, zone: string): string {
  return formatter(zone, { day: 'numeric', month: 'short' }).format(Number(seconds) * 1000)
}

/**
 * Formats an instant in Unix seconds as month and year in a zone.
 *
 * @example
 * formatMonth(1793574000n, 'America/New_York') // 'Nov 2026'
 */
export function formatMonth(seconds: bigint, zone: string): string {
  return formatter(zone, { month: 'short', year: 'numeric' }).format(Number(seconds) * 1000)
}

/**
 * Formats a period as date and time in a zone.
 *
 * @example
 * formatPeriod({ periodStart: 1793574000n, periodEnd: 1793595600n }, 'America/New_York') // '1 Nov 2026, 18:00 to 24:00'
 */
export function formatPeriod(period: PeriodBounds, zone: string): string {
  return `${formatDate(period.periodStart, zone)}, ${formatHours(period, zone)}`
}

/**
 * Formats the time of a period in a zone.
 *
 * @example
 * formatHours({ periodStart: 1793574000n, periodEnd: 1793595600n }, 'America/New_York') // '18:00 to 24:00'
 * formatHours({ periodStart: 1793574000n, periodEnd: 1793595600n }, 'America/Chicago') // '17:00 to 23:00'
 * formatHours({ periodStart: 1793505600n, periodEnd: 1793574000n }, 'Asia/Tokyo') // '13:00 to 08:00 next day'
 */
export function formatHours({ periodStart, periodEnd }: PeriodBounds, zone: string): string {
  const [from, until] = [formatClock(periodStart, { zone }), formatClock(periodEnd, { zone })]
  if (until === '00:00') return `${from} to 24:00`
  return `${from} to ${until}${formatDate(periodStart, zone) === formatDate(periodEnd, zone) ? '' : ' next day'}`
}

/**
 * Formats hour and minute, with the weekday if it differs from the weekday of `near`.
 *
 * @example
 * formatClock(1793574000n, { zone: 'Asia/Tokyo', near: 1793570000n }) // 'Mon 08:00'
 */
export function formatClock(
  seconds: bigint,
  { zone, near }: { readonly zone: string; readonly near?: bigint | undefined },
): string {
  const weekday = (instant: bigint) => formatter(zone, { weekday: 'short' }).format(Number(instant) * 1000)
  const time = formatter(zone, { hour: '2-digit', minute: '2-digit' }).format(Number(seconds) * 1000)
  return near === undefined || weekday(near) === weekday(seconds) ? time : `${weekday(seconds)} ${time}`
}

/**
 * Formats hour, minute and second.
 *
 * @example
 * formatSecond(1793570001n, 'UTC') // '21:13:21'
 */
export function formatSecond(seconds: bigint, zone: string): string {
  return formatter(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(Number(seconds) * 1000)
}

/**
 * Formats the time left as hours, minutes and seconds.
 *
 * @example
 * formatCountdown(3_661) // '01:01:01'
 */
export function formatCountdown(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds))
  return [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/**
 * Formats a duration in its two largest units.
 *
 * @example
 * formatDuration(90_061) // '1 day 1 h'
 */
export function formatDuration(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'}${hours > 0 && days < 10 ? ` ${hours} h` : ''}`
  if (hours > 0) return `${hours} h${minutes > 0 ? ` ${minutes} min` : ''}`
  return minutes > 0 ? `${minutes} min` : `${Math.max(0, Math.floor(seconds))} s`
}

const stampOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Returns a cached formatter: creating one takes longer than using it 1,000 times. */
function formatter(timeZone: string, options: Intl.DateTimeFormatOptions): { readonly format: (ms: number) => string } {
  const key = timeZone + JSON.stringify(options)
  const known = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone, hourCycle: 'h23' })
  formatters.set(key, known)
  // en-GB abbreviates September as "Sept", and all other months with three letters.
  return { format: (ms) => known.format(ms).replace('Sept', 'Sep') }
}
