import { z } from 'zod'
import { field } from './field.ts'
import { chainNumberForm } from './forms.ts'

const members = {
  query: field(z.string(), {
    description: 'A GraphQL document with a query.',
    unit: 'GraphQL text',
    example: '{ positionInfos(first: 1) { tokenId principal } }',
  }),
  operationName: field(z.string().nullish(), {
    description: 'Which operation to run, where `query` has several.',
    unit: 'name in `query`',
    example: 'FetchAllPositions',
  }),
  extensions: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'Passed over. Some clients send it.',
    unit: 'object',
    example: {},
  }),
}

/** The variables of a query, and the chains to ask, which are never forwarded. */
export const dataVariablesSchema = z.looseObject({
  chains: field(z.array(chainNumberForm).min(1), {
    description: 'Chains to ask, none of them twice.',
    unit: 'chain ids',
    example: [324],
  }).meta({ uniqueItems: true }),
})

/** The body of `POST /data` (SPEC.md §4.2). */
export const dataRequestSchema = z.strictObject({
  ...members,
  variables: dataVariablesSchema.meta({ description: 'The variables the query declares, and `chains`.' }),
})
export type DataRequestBody = z.infer<typeof dataRequestSchema>

/**
 * The same with `chains` unread: which of them are supported only the service knows, and what is wrong with them has an
 * error code of its own.
 */
export const dataEnvelopeSchema = z.strictObject({
  ...members,
  variables: z.record(z.string(), z.unknown()).optional(),
})
