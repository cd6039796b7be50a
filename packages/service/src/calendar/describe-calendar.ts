import { type CalendarResponse, encodeCalendarPeriod, formatIcalendar, listPeriods } from '@tallystick/core'
import { errorResponses } from '../openapi/error-responses.ts'
import { headerReferences } from '../openapi/headers.ts'
import { curl, typescript } from '../openapi/samples.ts'
import { queryParameters, schemaReference } from '../openapi/schemas.ts'
import type { DocumentContext, Endpoint, Operation } from '../routing/document.ts'

const description = `Returns the periods of New York days, past or to come: 00:00 to 18:00 and 18:00 to 24:00. The day period has 17 hours on the day clocks go forward and 19 on the day they go back, so never compute a boundary by adding hours. It needs no key. Requests are limited per address.

With \`Accept: text/calendar\` the same periods are an iCalendar file. The UID of a period never changes.`

const types = ['application/json', 'text/calendar']

/** `GET /calendar` (DESIGN.md §2.5). */
export function describeCalendar(context: DocumentContext, endpoint: Endpoint): Operation {
  const headers = headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Cache-Control')
  const periods = listPeriods({ from: '2026-11-01', days: 1 })
  const example: CalendarResponse = {
    message: 'Periods of 2026-11-01 to 2026-11-01, New York.',
    periods: periods.map(encodeCalendarPeriod),
  }
  return {
    operationId: 'getCalendar',
    tags: ['History'],
    summary: 'Calendar of periods',
    description,
    security: [],
    parameters: queryParameters('calendar', context),
    responses: {
      200: {
        description: 'Two periods per day, ascending.',
        headers: { ...headers, ...headerReferences('Content-Disposition') },
        content: {
          'application/json': {
            schema: schemaReference('CalendarResponse'),
            examples: { day: { summary: 'The day clocks go back', value: example } },
          },
          'text/calendar': {
            schema: { type: 'string', description: 'iCalendar (RFC 5545), one event per period.' },
            examples: { day: { summary: 'The same day as a calendar', value: formatIcalendar(periods) } },
          },
        },
      },
      304: { description: 'The calendar matches `If-None-Match`. There is no body.', headers },
      ...errorResponses(context, {
        endpoint: { ...endpoint, parameters: 'from and days', mediaTypes: types },
        codes: ['invalid_parameter', 'not_acceptable'],
      }),
    },
    'x-codeSamples': [
      curl('curl "$TALLYSTICK_URL/calendar?from=2026-10-25&days=14"'),
      typescript(
        "for (const { start, end, hours, day } of await client.calendar({ from: '2026-10-25', days: 14 })) {",
        '  console.log(start, end, hours, day)',
        '}',
      ),
    ],
  }
}
