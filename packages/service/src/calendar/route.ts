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
import {
  assertParameters,
  chooseMediaType,
  jsonType,
  type LimitAddress,
  matchesEtag,
  parseCount,
  parseDay,
} from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Route } from '../routing/route.ts'
import { describeCalendar } from './describe-calendar.ts'

const types = [jsonType, 'text/calendar'] as const

type Wanted = { readonly from: string; readonly days: number; readonly type: (typeof types)[number] }
type Calendar = { readonly body: string; readonly etag: string }

// A year takes 200 kB and some milliseconds.
const calendarsMax = 32
const daySeconds = 86_400
const maxAgeSeconds = 3_600

/** Creates `GET /calendar` (DESIGN.md §2.5): the periods of New York days, past or to come. */
export function createCalendarRoute({ limitAddress }: { readonly limitAddress: LimitAddress }): Route {
  const calendars = new LRUCache<string, Calendar>({ max: calendarsMax })
  const find = (wanted: Wanted): Calendar => {
    const key = `${wanted.from} ${wanted.days} ${wanted.type}`
    const calendar = calendars.get(key) ?? createCalendar(wanted)
    calendars.set(key, calendar)
    return calendar
  }
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    // Pages of other sites may read it: it is public and the same for everyone.
    reply.header('access-control-allow-origin', '*')
    limitAddress(request, reply)
    done()
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
  return { method: 'GET', url: '/calendar', describe: describeCalendar, onRequest, handler }
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
