import { z } from 'zod'
import { field } from './field.ts'
import { chainNumberForm } from './forms.ts'

/** Tenors in days, comma separated: each has one spelling. */
export const maturityPattern = /^[1-9]\d{0,3}(,[1-9]\d{0,3})*$/

const chainid = field(chainNumberForm, {
  description: 'Only this chain; all supported ones if left out. Plain decimal digits, once.',
  unit: 'chain id',
  example: 324,
}).optional()

/** The parameters of `GET /notes` (SPEC.md §4.1), before they are written into a query string. */
export const notesQuerySchema = z.strictObject({
  chainid,
  maturity: field(z.string().regex(maturityPattern), {
    description: 'Only notes of these tenors, comma separated; all on offer if left out.',
    unit: 'days',
    example: '7,14',
  }).optional(),
})

/** The parameters of `GET /rate`, before they are written into a query string. */
export const rateQuerySchema = z.strictObject({ chainid })
