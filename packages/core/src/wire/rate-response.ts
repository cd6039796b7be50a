import { z } from 'zod'

const bps = z.string().regex(/^\d{1,78}$/, 'must be basis points as a decimal string')
const seconds = z.string().regex(/^\d{1,20}$/, 'must be Unix seconds as a decimal string')
const tenor = z.int().positive().meta({ description: 'Tenor in days.', example: 7 })

/** The rates of one chain (DESIGN.md §2.4). */
export const chainRatesSchema = z.strictObject({
  chainid: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .meta({ description: 'Chain, decimal.', example: '324' }),
  status: z.enum(['open', 'paused']).meta({
    description:
      'Whether the pool takes loans now. `open` also where nothing is known: no RPC is configured or none answered yet.',
  }),
  fixedRates: z
    .array(
      z.strictObject({
        maturity: tenor,
        maturity_timestamp: seconds.meta({ description: 'Maturity, Unix seconds.', example: '1795323600' }),
        coupon: bps.meta({ description: 'Coupon, basis points per 360-day year.', example: '369' }),
      }),
    )
    .meta({ description: 'The notes on offer now, ascending by maturity; empty while there are none.' }),
  floatingRate: bps.nullable().meta({
    description:
      'The last floating income, annualised: basis points per 360-day year, rounded down. Null while it cannot be read.',
    example: '1264',
  }),
  floatingDay: z.int().nonnegative().nullable().meta({
    description: 'The UTC day of that income, in days since 1970-01-01. Null while it cannot be read.',
    example: 20050,
  }),
  marketRates: z
    .array(
      z.strictObject({
        maturity: tenor,
        rate: bps.meta({ description: 'Coupon plus floating rate, basis points per 360-day year.', example: '1633' }),
      }),
    )
    .meta({
      description: 'Total marginal market rate of each tenor; of the fixed part alone while `floatingRate` is null.',
    }),
  isProtocolSynced: z.boolean().meta({ description: 'Whether the floating income of yesterday (UTC) is in.' }),
  syncReason: z.string().meta({ description: 'Why it is synced or not, in words.' }),
  nextSyncExpectedAt: seconds.meta({
    description:
      'Unix seconds from which the next floating income can come: 00:00 UTC. In the past while one is overdue.',
    example: '1794787200',
  }),
  dataBlock: z
    .string()
    .regex(/^\d{1,20}$/)
    .nullable()
    .meta({
      description: 'The block the floating income was read from. Null while it cannot be read.',
      example: '123',
    }),
  dataLagSeconds: z.int().nonnegative().nullable().meta({
    description: 'How far that block is behind the clock, in seconds. Null where it is not known.',
    example: 4,
  }),
})
export type ChainRates = z.infer<typeof chainRatesSchema>

/** The body of `GET /rate` (SPEC.md §2.6, DESIGN.md §2.4). */
export const rateResponseSchema = z.strictObject({
  message: z.string().meta({ description: 'Message from the API.' }),
  fixedRate: bps
    .nullable()
    .meta({ description: 'The highest coupon on offer now. Null while there is none.', example: '369' }),
  floatingRate: bps
    .nullable()
    .meta({ description: 'The highest floating rate of a chain. Null while none can be read.', example: '1264' }),
  marketRate: bps.nullable().meta({
    description:
      'Total marginal market rate: the highest of a chain’s fixed plus floating rate. Null while nothing is on offer.',
    example: '1633',
  }),
  isProtocolSynced: z.boolean().meta({ description: 'Whether every chain listed is synced.' }),
  chains: z.array(chainRatesSchema).meta({ description: 'By chain, ascending.' }),
})
export type RateResponse = z.infer<typeof rateResponseSchema>
