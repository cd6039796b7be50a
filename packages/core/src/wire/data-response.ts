import { z } from 'zod'
import { chainNumberField, detailsField, errorCodeField, field, textField } from './fields.ts'

/** Reason why a chain has no data or only part of it (DESIGN.md §2.3). */
export const chainErrorSchema = z.strictObject({
  message: textField('What failed, and what to do.', 'The subgraph did not answer in time.'),
  code: errorCodeField(
    'Machine-readable reason: `query_rejected`, `upstream_failed` or `upstream_timeout`.',
    'upstream_timeout',
  ),
  details: detailsField('Details of this failure, by code.', { failure: 'slow_headers' }),
})

/** Result of one chain (SPEC.md §2.4). */
export const chainDataSchema = z.strictObject({
  chain: chainNumberField('The chain.', 324),
  data: field(z.record(z.string(), z.unknown()).nullable(), {
    description: 'The result. Its members follow the query. Null if the chain failed.',
    unit: 'as the subgraph’s schema says',
    example: { positionInfos: [{ tokenId: '40', principal: '25000000000000000000000' }] },
  }),
  errors: z.array(chainErrorSchema).optional().meta({ description: 'Absent if there are none.' }),
})

/** Response body of `POST /data`: one element per chain, in the order of `chains`. */
export const dataResponseSchema = z.array(chainDataSchema)
/** Response body of `POST /data`. */
export type DataResponse = z.infer<typeof dataResponseSchema>
