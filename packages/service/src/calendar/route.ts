import { etagOf, toSeconds } from '@tallystick/base'
import {
  type CalendarResponse,
  calendarDaysDefault,
  calendarDaysMax,
  encodeCalendarPeriod,
  formatIcalendar,
  listPeriods,
  newYorkDate,
  periodAt,
} from '@tallystick/core'
import { assertParameters, chooseMediaType, jsonType, matchesEtag, parseCount, parseDay } from '@tallystick/http'
import type { RouteHandlerMethod } from 'fastify'
import { LRUCache } from 'lru-cache'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, typescript } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Route } from '../routing/route.ts'

const types = [jsonType, 'text/calendar'] as const

type Wanted = { readonly from: string; readonly days: number; readonly type: (typeof types)[number] }
type Calendar = { readonly body: string; readonly etag: string }

// A year takes 200 kB and some milliseconds.
const calendarsMax = 32
const daySeconds = 86_400
const maxAgeSeconds = 3_600

/** Creates `GET /calendar` (DESIGN.md §2.5): the periods of New York days, past or to come. */
export function createCalendarRoute(): Route {
  const calendars = new LRUCache<string, Calendar>({ max: calendarsMax })
  const find = (wanted: Wanted): Calendar => {
    const key = `${wanted.from} ${wanted.days} ${wanted.type}`
    const calendar = calendars.get(key) ?? createCalendar(wanted)
    calendars.set(key, calendar)
    return calendar
  }
  const handler: RouteHandlerMethod = (request, reply) => {
    const query = request.query as Record<string, unknown>
    assertParameters(query, ['from', 'days'])
    const from = parseDay(query, 'from')
    const days = parseCount(query, { name: 'days', max: calendarDaysMax }) ?? calendarDaysDefault
    const type = chooseMediaType(request.headers.accept, types)
    const today = newYorkDate(toSeconds(request.nowMs))
    const { body, etag } = find({ from: from ?? today, days, type })
    const maxAge = from === undefined ? Math.min(maxAgeSeconds, secondsOfToday(request.nowMs)) : daySeconds
    reply.headers({ etag, 'cache-control': `public, max-age=${maxAge}`, vary: 'accept' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (type === 'text/calendar') reply.header('content-disposition', 'attachment; filename="tallystick-periods.ics"')
    return reply.type(`${type}; charset=utf-8`).send(body)
  }
  return { method: 'GET', url: '/calendar', openTo: 'any-origin', describe: describeCalendar, handler }
}

function createCalendar({ from, days, type }: Wanted): Calendar {
  const periods = listPeriods({ from, days })
  const message = `Periods of ${from} to ${periods.at(-1)?.day}, New York.`
  const body =
    type === 'text/calendar'
      ? formatIcalendar(periods)
      : JSON.stringify({ message, periods: periods.map(encodeCalendarPeriod) } satisfies CalendarResponse)
  return { body, etag: etagOf(body) }
}

/** Returns the rest of the New York day. */
function secondsOfToday(nowMs: number): number {
  const period = periodAt(toSeconds(nowMs))
  const end = period.start === period.noteDay ? periodAt(period.end).end : period.end
  return Math.floor(Number(end) - nowMs / 1000)
}

const description = `Returns the periods of New York days, past or to come: 00:00 to 18:00 and 18:00 to 24:00. The day period has 17 hours on the day clocks go forward and 19 on the day they go back, so never compute a boundary by adding hours. It needs no key. Requests are limited per address.

With \`Accept: text/calendar\` the same periods are an iCalendar file. The UID of a period never changes.`

const describeCalendar = describeGet(({ context }) => {
  const periods = listPeriods({ from: '2026-11-01', days: 1 })
  const value: CalendarResponse = {
    message: 'Periods of 2026-11-01 to 2026-11-01, New York.',
    periods: periods.map(encodeCalendarPeriod),
  }
  const json = jsonContent('CalendarResponse', { day: { summary: 'The day clocks go back', value } })
  const icalendar = {
    schema: { type: 'string', description: 'iCalendar (RFC 5545), one event per period.' },
    examples: { day: { summary: 'The same day as a calendar', value: formatIcalendar(periods) } },
  }
  return {
    operationId: 'getCalendar',
    tag: 'History',
    summary: 'Calendar of periods',
    description,
    parameters: queryParameters('calendar', context),
    response: 'Two periods per day, ascending.',
    content: { ...json, 'text/calendar': icalendar },
    notModified: 'The calendar matches `If-None-Match`. There is no body.',
    headers: ['Content-Disposition'],
    codes: ['invalid_parameter', 'not_acceptable'],
    samples: [
      curl('curl "$TALLYSTICK_URL/calendar?from=2026-10-25&days=14"'),
      typescript(
        "for (const { start, end, hours, day } of await client.calendar({ from: '2026-10-25', days: 14 })) {",
        '  console.log(start, end, hours, day)',
        '}',
      ),
    ],
  }
})
