import { z } from 'zod'
import { chainNumberField, createField, dateField, field } from './fields.ts'

/** Tenors in days, comma-separated, without leading zeros. */
export const maturityPattern = /^[1-9]\d{0,3}(,[1-9]\d{0,3})*$/
const maturityField = createField(z.string().regex(maturityPattern), 'days')

const chainid = chainNumberField(
  'Only this chain. All supported chains by default. Decimal digits, given once.',
  324,
).optional()

/** Query parameters of `GET /notes` (SPEC.md §4.1) before encoding. */
export const notesQuerySchema = z.strictObject({
  chainid,
  maturity: maturityField(
    'Only notes of these tenors, comma-separated. All tenors on offer by default.',
    '7,14',
  ).optional(),
})

/** Most periods on a page of `GET /history/notes`. */
export const historyPeriodsMax = 1_000
/** Most days on a page of `GET /history/rate`. */
export const historyDaysMax = 366
/** Most days of `GET /calendar`. */
export const calendarDaysMax = 366
/** Days of `GET /calendar` by default. */
export const calendarDaysDefault = 14

const day = (description: string, example: string) => dateField(description, example).optional()
const cursor = field(z.string().min(1), {
  description: '`nextCursor` of the page before. The newest page by default.',
  unit: 'opaque text',
  example: 'MTc5NDY5NzIwMC4zMjQ',
}).optional()

/** Query parameters of `GET /history/notes` before encoding. */
export const historyNotesQuerySchema = z.strictObject({
  chainid,
  maturity: maturityField(
    'Only coupons of these tenors, comma-separated, and periods that had one. All tenors by default.',
    '7,14',
  ).optional(),
  from: day('First New York day. By default the first day with notes.', '2026-10-01'),
  to: day('Last New York day, included. By default today.', '2026-10-31'),
  cursor,
  limit: field(z.int().min(1).max(historyPeriodsMax), {
    description: 'Most periods on a page.',
    unit: 'periods',
    example: historyPeriodsMax,
  }).optional(),
})

/** Query parameters of `GET /history/rate` before encoding. */
export const historyRateQuerySchema = z.strictObject({
  chainid,
  from: day('First day. By default 29 days before `to`.', '2026-10-01'),
  to: day('Last day, included. By default today in New York.', '2026-10-31'),
  cursor,
})

/** Query parameters of `GET /calendar` before encoding. */
export const calendarQuerySchema = z.strictObject({
  from: day('First New York day. By default today.', '2026-11-01'),
  days: field(z.int().min(1).max(calendarDaysMax), {
    description: 'Number of days.',
    unit: 'days',
    example: calendarDaysDefault,
  }).optional(),
})

/** Query parameters of `GET /log/proof` before encoding. */
export const logProofQuerySchema = z.strictObject({
  chainid: chainNumberField('The chain. It is required.', 324),
  period: field(z.string(), {
    description: 'An instant of the period. By default the current period.',
    unit: 'Unix seconds or ISO 8601',
    example: '2026-11-15T23:00:00Z',
  }).optional(),
})

/** Query parameters of `GET /rate` before encoding. */
export const rateQuerySchema = z.strictObject({ chainid })

/** Query parameters of `GET /events` before encoding. */
export const eventsQuerySchema = z.strictObject({
  types: field(z.string().regex(/^(notes|rate|status)(,(notes|rate|status))*$/), {
    description: 'Only events of these types, comma-separated. All types that the key may receive by default.',
    unit: 'event types',
    example: 'notes,status',
  }).optional(),
  chainid,
  lastEventId: field(z.string().regex(/^((0|[1-9]\d{0,17})-[0-9a-f]{1,8})?$/), {
    description: 'Resumes after this event, for clients that cannot send `Last-Event-ID`. The header takes precedence.',
    unit: 'opaque id',
    example: '1204-9f2c41d0',
  }).optional(),
})
