import { z } from 'zod'
import { billBases } from '../treasury/bill-curve.ts'

const date = z.iso.date()

/** Bill that a curve was derived from. */
export const provenanceBillSchema = z.strictObject({
  weeks: z.int().positive().meta({ description: 'Term of the bill, weeks, as the Treasury names it.' }),
  days: z.int().positive().meta({ description: 'Term of the bill on the curve, days: weeks × 7.' }),
  cusip: z.string().nullable().meta({ description: 'CUSIP of the bill that was quoted; null if none was published.' }),
  maturityDate: date
    .nullable()
    .meta({ description: 'When the quoted bill matures; not used for the curve; null if not published.' }),
  ratePercent: z.string().meta({ description: 'The rate as published, percent per year on the basis.' }),
  bps: z.string().meta({
    description: 'The same rate in basis points per 360-day year before the spread, to four decimals.',
  }),
})

/** Origin of a curve's coupons. It is stored with the curve permanently. */
export const curveProvenanceSchema = z.strictObject({
  source: z.literal('treasury').meta({ description: 'US Treasury, daily bill rates.' }),
  sourceDate: date.meta({ description: 'The day whose rates these are, New York.' }),
  basis: z.enum(billBases).meta({
    description: 'Which published rate: `discount` (bank discount, act/360) or `yield` (coupon-equivalent, act/365).',
  }),
  spreadBps: z.int().meta({ description: 'Added to every interpolated rate, basis points per 360-day year.' }),
  interpolation: z.literal('linear-in-days, flat beyond the ends').meta({
    description: 'How rates between and beyond the bills were determined.',
  }),
  rounding: z.literal('half up').meta({ description: 'How coupons were rounded to whole basis points.' }),
  bills: z.array(provenanceBillSchema).min(1).meta({ description: 'The bills used, ascending by term.' }),
  missingBills: z.array(z.int().positive()).meta({
    description: 'Terms in weeks of bills that earlier rows had and this row lacks.',
  }),
  documentSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'SHA-256 of the document that holds the row, as received, hex.' }),
  url: z.url().meta({ description: 'Where the document was fetched from.' }),
  fetchedAt: z.iso.datetime().meta({ description: 'When it was fetched, by the service clock, UTC.' }),
})
/** Origin of a curve's coupons. */
export type CurveProvenance = z.infer<typeof curveProvenanceSchema>
