import { z } from 'zod'
import { errorCodes } from '../error/tallystick-error.ts'
import { field } from './field.ts'
import { chainNumberForm } from './forms.ts'

/** Why a chain has no data, or not all of it (DESIGN.md §2.3). */
export const chainErrorSchema = z.strictObject({
  message: field(z.string(), {
    description: 'What failed, and what to do.',
    unit: 'text for people',
    example: 'The subgraph did not answer in time.',
  }),
  code: field(z.enum(errorCodes), {
    description: 'What failed, for programs: `query_rejected`, `upstream_failed` or `upstream_timeout`.',
    unit: 'error code',
    example: 'upstream_timeout',
  }),
  details: field(z.record(z.string(), z.unknown()).optional(), {
    description: 'Facts of this failure, by code.',
    unit: 'object',
    example: { failure: 'slow_headers' },
  }),
})

/** What one chain answered (SPEC.md §2.4). */
export const chainDataSchema = z.strictObject({
  chain: field(chainNumberForm, { description: 'The chain.', unit: 'chain id', example: 324 }),
  data: field(z.record(z.string(), z.unknown()).nullable(), {
    description: 'The answer; its members follow the query. Null where the chain failed.',
    unit: 'as the subgraph’s schema says',
    example: { positionInfos: [{ tokenId: '40', principal: '25000000000000000000000' }] },
  }),
  errors: z.array(chainErrorSchema).optional().meta({ description: 'Left out where there are none.' }),
})

/** The body of an answer of `POST /data`: one element per chain, in the order of `chains`. */
export const dataResponseSchema = z.array(chainDataSchema)
export type DataResponse = z.infer<typeof dataResponseSchema>
