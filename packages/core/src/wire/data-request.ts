import { z } from 'zod'
import { chainNumberForm, field, operationNameField, queryField } from './fields.ts'

const members = {
  query: queryField('A GraphQL document with a query.', '{ positionInfos(first: 1) { tokenId principal } }'),
  operationName: operationNameField('Operation to run if `query` contains several.', 'FetchAllPositions'),
  extensions: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'Ignored. Some clients send it.',
    unit: 'object',
    example: {},
  }),
}

/** Variables of a query, and the chains to query. `chains` is never forwarded. */
export const dataVariablesSchema = z.looseObject({
  chains: field(z.array(chainNumberForm).min(1), {
    description: 'Chains to query, without duplicates.',
    unit: 'chain ids',
    example: [324],
  }).meta({ uniqueItems: true }),
})

/** Request body of `POST /data` (SPEC.md §4.2). */
export const dataRequestSchema = z.strictObject({
  ...members,
  variables: dataVariablesSchema.meta({ description: 'The variables the query declares, and `chains`.' }),
})
/** Request body of `POST /data`. */
export type DataRequestBody = z.infer<typeof dataRequestSchema>

/**
 * Request body of `POST /data` before `chains` is validated. Only the service knows the supported chains, and invalid ones
 * have their own error code.
 */
export const dataEnvelopeSchema = z.strictObject({
  ...members,
  variables: z.record(z.string(), z.unknown()).optional(),
})
