import { Temporal } from 'temporal-polyfill'
import type { DatedPeriod } from './list-periods.ts'

const octetsMax = 75
const epoch = Temporal.PlainDate.from('1970-01-01')

/**
 * Formats periods as an iCalendar object (RFC 5545). The same periods give the same text, so a calendar program that
 * fetches it again finds nothing changed.
 *
 * @example
 * formatIcalendar(listPeriods({ from: '2026-11-01', days: 14 })) // 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n…'
 */
export function formatIcalendar(periods: readonly DatedPeriod[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tallystick//Calendar of periods//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escapeText('Tallystick periods')}`,
    ...periods.flatMap(formatEvent),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function formatEvent({ day, noteDay, start, end }: DatedPeriod): string[] {
  const hours = Number(end - start) / 3_600
  const times = start === noteDay ? '00:00 to 18:00' : '18:00 to 24:00'
  const change = isDstPeriod({ start, end }) ? ', because the clocks change on this day' : ''
  const description = `The period has ${hours} hours${change}. Fetch new notes when it starts.`
  const startsAt = formatUtc(start)
  return [
    'BEGIN:VEVENT',
    `UID:period-${start}@tallystick`,
    // The revision of the event. A period never changes, so its start identifies the only one.
    `DTSTAMP:${startsAt}`,
    `DTSTART:${startsAt}`,
    `DTEND:${formatUtc(end)}`,
    `SUMMARY:${escapeText(`Notes of ${day}, ${times} New York`)}`,
    `DESCRIPTION:${escapeText(description)}`,
    // A period does not make anybody busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/**
 * Returns whether the clocks change in a period, so that it has 17 or 19 hours.
 *
 * @example
 * isDstPeriod({ start: 1793505600n, end: 1793574000n }) // true: 2026-11-01 has a period of 19 hours
 */
export function isDstPeriod({ start, end }: Pick<DatedPeriod, 'start' | 'end'>): boolean {
  const hours = Number(end - start) / 3_600
  return hours !== 18 && hours !== 6
}

/** Formats an instant as a UTC date with time (RFC 5545 §3.3.5). `Temporal.Instant` takes five times as long. */
function formatUtc(instantSeconds: bigint): string {
  const days = Math.floor(Number(instantSeconds) / 86_400)
  const seconds = Number(instantSeconds) - days * 86_400
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const time = parts.map((part) => String(part).padStart(2, '0')).join('')
  return `${epoch.add({ days }).toString().replaceAll('-', '')}T${time}Z`
}

/** Escapes a text value (RFC 5545 §3.3.11). */
function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r?\n/g, '\\n')
}

/** Folds a line into parts of at most 75 octets (RFC 5545 §3.1). Every text here is ASCII, so a character is an octet. */
function fold(line: string): string {
  return line.length <= octetsMax ? line : `${line.slice(0, octetsMax)}\r\n${fold(` ${line.slice(octetsMax)}`)}`
}
