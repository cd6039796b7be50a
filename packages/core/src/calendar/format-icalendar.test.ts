import { expect, test } from 'vitest'
import { formatIcalendar, isDstPeriod } from './format-icalendar.ts'
import { listPeriods } from './list-periods.ts'

/** Reads an iCalendar object by the rules of RFC 5545, without our code. */
function parse(text: string): { property: string; value: string }[] {
  expect(text.endsWith('\r\n')).toBe(true)
  const lines = text.slice(0, -2).split('\r\n')
  expect(lines.filter((line) => /[\r\n]/.test(line) || Buffer.byteLength(line) > 75)).toEqual([])
  const unfolded = lines.join('\r\n').replaceAll('\r\n ', '').split('\r\n')
  return unfolded.map((line) => {
    const [, property = '', value = ''] = /^([A-Z-]+):(.*)$/.exec(line) ?? []
    return { property, value: value.replaceAll(/\\([\\;,])/g, '$1').replaceAll('\\n', '\n') }
  })
}

function eventsOf(text: string): Record<string, string>[] {
  const events: Record<string, string>[] = []
  for (const { property, value } of parse(text)) {
    if (property === 'BEGIN' && value === 'VEVENT') events.push({})
    else if (events.length > 0 && property !== 'END') (events.at(-1) as Record<string, string>)[property] = value
  }
  return events
}

test('default: a year has an event for each period, at the same instants', () => {
  const periods = listPeriods({ from: '2026-01-01', days: 366 })
  const text = formatIcalendar(periods)
  const seconds = (utc = '') =>
    BigInt(Date.parse(utc.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')) / 1000)
  const events = eventsOf(text)
  expect(events.map((event) => ({ start: seconds(event['DTSTART']), end: seconds(event['DTEND']) }))).toEqual(
    periods.map(({ start, end }) => ({ start, end })),
  )
  expect(new Set(events.map((event) => event['UID'])).size).toBe(732)
  expect(parse(text).filter(({ property }) => property === 'BEGIN' || property === 'END').length).toBe(2 + 2 * 732)
})

test('default: the object has the properties that RFC 5545 requires, in both DST periods', () => {
  for (const [from, hours] of [
    ['2026-03-08', 17],
    ['2026-11-01', 19],
  ] as const) {
    const text = formatIcalendar(listPeriods({ from, days: 1 }))
    expect(parse(text).slice(0, 3)).toEqual([
      { property: 'BEGIN', value: 'VCALENDAR' },
      { property: 'VERSION', value: '2.0' },
      { property: 'PRODID', value: '-//Tallystick//Calendar of periods//EN' },
    ])
    const [day, evening] = eventsOf(text)
    expect(day?.['SUMMARY']).toBe(`Notes of ${from}, 00:00 to 18:00 New York`)
    expect(day?.['DESCRIPTION']).toBe(
      `The period has ${hours} hours, because the clocks change on this day. Fetch new notes when it starts.`,
    )
    expect(evening?.['DESCRIPTION']).toBe('The period has 6 hours. Fetch new notes when it starts.')
    for (const event of [day, evening]) expect(event?.['DTSTAMP']).toMatch(/^\d{8}T\d{6}Z$/)
  }
})

test('behavior: a period has the same UID and text wherever the calendar starts', () => {
  const [first] = eventsOf(formatIcalendar(listPeriods({ from: '2026-11-01', days: 1 })))
  const [, , third] = eventsOf(formatIcalendar(listPeriods({ from: '2026-10-31', days: 14 })))
  expect(third).toEqual(first)
  expect(first?.['UID']).toBe('period-1793505600@tallystick')
})

test('behavior: no periods give an empty calendar', () => {
  expect(eventsOf(formatIcalendar([]))).toEqual([])
})

test.each([
  [17, true],
  [19, true],
  [18, false],
  [6, false],
])('default: a period of %d hours has a change of clocks: %s', (hours, expected) => {
  expect(isDstPeriod({ start: 0n, end: BigInt(hours) * 3_600n })).toBe(expected)
})
