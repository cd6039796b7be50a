import { z } from 'zod'
import { field } from './field.ts'
import { chainNumberForm } from './forms.ts'

/** Tenors in days, comma-separated, without leading zeros. */
export const maturityPattern = /^[1-9]\d{0,3}(,[1-9]\d{0,3})*$/

const chainid = field(chainNumberForm, {
  description: 'Only this chain. All supported chains by default. Decimal digits, given once.',
  unit: 'chain id',
  example: 324,
}).optional()

/** Query parameters of `GET /notes` (SPEC.md §4.1) before encoding. */
export const notesQuerySchema = z.strictObject({
  chainid,
  maturity: field(z.string().regex(maturityPattern), {
    description: 'Only notes of these tenors, comma-separated. All tenors on offer by default.',
    unit: 'days',
    example: '7,14',
  }).optional(),
})

/** Query parameters of `GET /rate` before encoding. */
export const rateQuerySchema = z.strictObject({ chainid })
