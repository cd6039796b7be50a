import { billBases, billTerms } from '@tallystick/core'
import { maxAgeBusinessDaysDefault } from '@tallystick/issuer'
import { z } from 'zod'
import { isList } from './config-fields.ts'
import { httpUrl } from './config-secrets.ts'

const plausibilitySchema = z.strictObject({
  source: z.literal('sofr'),
  /** Greatest difference between a bill of up to 8 weeks and SOFR. */
  bandBps: z.int().min(1).max(10_000),
  url: httpUrl.default('https://markets.newyorkfed.org/api/rates/secured/sofr/last/1.json'),
  /** A SOFR further than this from the day of the rates is not compared. */
  maxAgeBusinessDays: z.int().min(1).max(30).default(5),
})

export const curveSchema = z
  .discriminatedUnion('source', [
    z.strictObject({ source: z.literal('manual') }),
    z.strictObject({
      source: z.literal('treasury'),
      basis: z.enum(billBases),
      spreadBps: z.int().min(-10_000).max(10_000),
      url: httpUrl.default('https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages/xml'),
      /** Bills of the curve, in weeks. Default: all that are published. */
      bills: z
        .array(z.literal(billTerms))
        .min(1)
        .refine((bills) => new Set(bills).size === bills.length, { message: 'contains a bill twice', when: isList })
        .meta({ uniqueItems: true })
        .optional(),
      /** A curve older than this on the day of a period is not signed. The day period never has rates younger than 1. */
      maxAgeBusinessDays: z.int().min(1).max(10).default(maxAgeBusinessDaysDefault),
      timeoutMs: z.int().min(100).max(60_000).default(10_000),
      /** Second source that the rates are compared with before they are used. */
      plausibility: plausibilitySchema.optional(),
    }),
  ])
  .default({ source: 'manual' })
