import { z } from 'zod'
import {
  bpsField,
  chainIdField,
  dateField,
  field,
  nullableBpsField,
  secondsField,
  tenorField,
  textField,
} from './fields.ts'

const chainid = chainIdField('The chain.', '324')
const maturity = tenorField('Tenor.', 7)
const coupon = bpsField('Fixed income.', '369')
const nextCursor = field(z.string().nullable(), {
  description: 'Value of `cursor` for the next page, with the same other parameters. Null on the last page.',
  unit: 'opaque text',
  example: 'MTc5NDY5NzIwMC4zMjQ',
})

/** Coupon of one tenor in a past or current period. */
export const historyCouponSchema = z.strictObject({
  maturity,
  maturity_timestamp: secondsField('When the note of this tenor matures: 00:00 New York.', '1795237200'),
  coupon,
})

/** Coupons of one chain in one period. */
export const historyPeriodSchema = z.strictObject({
  chainid,
  period_start: secondsField('First second of the period.', '1794697200'),
  period_end: secondsField('First second after the period.', '1794718800'),
  logIndex: field(z.int().nonnegative().nullable(), {
    description: 'Index of the set’s entry in the public log. Null if the set is not logged.',
    unit: 'entry number',
    example: 1204,
  }),
  coupons: z.array(historyCouponSchema).meta({ description: 'The coupons of the set, ascending by maturity.' }),
})
/** Coupons of one chain in one period. */
export type HistoryPeriod = z.infer<typeof historyPeriodSchema>

/** Response body of `GET /history/notes`. */
export const historyNotesResponseSchema = z.strictObject({
  message: textField('Number of periods on this page.', '2 periods.'),
  periods: z.array(historyPeriodSchema).meta({
    description:
      'The periods that have begun and had notes, newest first, then ascending by chain. One element per chain and period.',
  }),
  nextCursor,
})
/** Response body of `GET /history/notes`. */
export type HistoryNotesResponse = z.infer<typeof historyNotesResponseSchema>

/** Coupon of one tenor on one day. */
export const historyFixedRateSchema = z.strictObject({ maturity, coupon })

/** Rates of one chain on one day. */
export const historyDaySchema = z.strictObject({
  chainid,
  day: dateField('The New York day of the fixed rates, and the UTC day of the floating rate.', '2026-11-14'),
  fixedRates: z.array(historyFixedRateSchema).meta({
    description:
      'The coupons of the day’s last period that has begun, ascending by maturity. Empty if the day had no notes.',
  }),
  floatingRate: nullableBpsField(
    'The floating income of the UTC day of the same date, annualised and rounded down. Null if unknown.',
    '1264',
  ),
  floatingReason: field(z.string().nullable(), {
    description: 'Why `floatingRate` is null. Null if it is not.',
    unit: 'human-readable text',
    example: null,
  }),
})
/** Rates of one chain on one day. */
export type HistoryDay = z.infer<typeof historyDaySchema>

/** Response body of `GET /history/rate`. */
export const historyRateResponseSchema = z.strictObject({
  message: textField('Number of days on this page.', '30 days.'),
  days: z.array(historyDaySchema).meta({
    description: 'The days that have a fixed or a floating rate, newest first, then ascending by chain.',
  }),
  nextCursor,
})
/** Response body of `GET /history/rate`. */
export type HistoryRateResponse = z.infer<typeof historyRateResponseSchema>
