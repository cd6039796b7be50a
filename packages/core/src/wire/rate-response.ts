import { z } from 'zod'
import {
  bpsField,
  chainIdField,
  chainIdForm,
  field,
  flagField,
  nullableBpsField,
  secondsField,
  tenorField,
  textField,
} from './fields.ts'

const tenor = tenorField('Tenor.', 7)

/** Coupon of one tenor (DESIGN.md §2.4). */
export const fixedRateSchema = z.strictObject({
  maturity: tenor,
  maturity_timestamp: secondsField('When a note of this tenor matures.', '1795237200'),
  coupon: bpsField('Fixed income.', '369'),
})

/** Fixed plus floating rate of one tenor (DESIGN.md §2.4). */
export const marketRateSchema = z.strictObject({
  maturity: tenor,
  rate: bpsField('Coupon plus floating rate.', '1633'),
})

/** Rates of one chain (DESIGN.md §2.4). */
export const chainRatesSchema = z.strictObject({
  chainid: chainIdField('The chain.', '324'),
  status: field(z.enum(['open', 'paused', 'rejecting', 'unknown']), {
    description:
      'Whether the pool accepts loans now. `paused` if the pool, the position token or the dollar is paused; `rejecting` if it would refuse the notes, because of its signer, its limits, its roles or its tokens, or could not pay a claim; `unknown` if neither an RPC nor the index of the chain can tell.',
    unit: 'state',
    example: 'open',
  }),
  statusReason: textField(
    'Reason for the status, and any other obstacle to lending, such as tenors that the pool rejects. It says so if only the index was read.',
    'The pool is not paused.',
  ),
  fixedRates: z
    .array(fixedRateSchema)
    .meta({ description: 'The notes on offer now, ascending by maturity; empty while there are none.' }),
  floatingRate: nullableBpsField(
    'The last floating income, annualised and rounded down. Null while it cannot be read.',
    '1264',
  ),
  floatingDay: field(z.int().nonnegative().nullable(), {
    description: 'The UTC day of that income. Null while it cannot be read.',
    unit: 'days since 1970-01-01',
    example: 20770,
  }),
  marketRates: z.array(marketRateSchema).meta({
    description: 'Total marginal market rate of each tenor. Only the fixed part while `floatingRate` is null.',
  }),
  isProtocolSynced: flagField('Whether the floating income of yesterday (UTC) has been set.', true),
  syncReason: textField('Reason for `isProtocolSynced`.', 'The floating income of 2026-11-13 (UTC) has been set.'),
  nextSyncExpectedAt: secondsField(
    'Earliest time of the next floating income: 00:00 UTC. In the past while one is overdue.',
    '1794700800',
  ),
  dataBlock: field(
    z
      .string()
      .regex(/^\d{1,20}$/)
      .nullable(),
    {
      description: 'The block the floating income was read from. Null while it cannot be read.',
      unit: 'block number',
      example: '5184123',
    },
  ),
  dataLagSeconds: field(z.int().nonnegative().nullable(), {
    description: 'How far that block is behind the clock. Null if unknown.',
    unit: 'seconds',
    example: 4,
  }),
})
/** Rates of one chain. */
export type ChainRates = z.infer<typeof chainRatesSchema>

/** Response body of `GET /rate` (SPEC.md §2.6, DESIGN.md §2.4). */
export const rateResponseSchema = z.strictObject({
  message: textField('Day and period of the rates.', 'Rates of 2026-11-14, 18:00 to 24:00 New York.'),
  chainid: field(chainIdForm.nullable(), {
    description:
      'The chain that the three rates are of: the one with the highest market rate, or with the highest floating rate while nothing is on offer. A chain that lacks the floating income of 2 or more days comes after the others. Null while no rate is known.',
    unit: 'chain id',
    example: '324',
  }),
  fixedRate: nullableBpsField('The highest coupon on offer on that chain. Null while nothing is on offer.', '369'),
  floatingRate: nullableBpsField('The floating rate of that chain. Null while it cannot be read.', '1264'),
  marketRate: nullableBpsField(
    'Total marginal market rate: `fixedRate` plus `floatingRate`, which counts 0 while it is null. Null while nothing is on offer.',
    '1633',
  ),
  isProtocolSynced: flagField(
    'Whether every chain whose floating income can be read is synced. False if there is none.',
    true,
  ),
  chains: z.array(chainRatesSchema).meta({ description: 'The rates of each chain, ascending by chain id.' }),
})
/** Response body of `GET /rate`. */
export type RateResponse = z.infer<typeof rateResponseSchema>
