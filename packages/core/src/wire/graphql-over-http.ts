import { z } from 'zod'
import { errorBodySchema } from './error-body.ts'
import { detailsField, field, operationNameField, queryField, textField } from './fields.ts'

/** Request body of `POST /data/<chainid>` and `POST /subgraphs/<chainid>` (GraphQL over HTTP specification). */
export const graphqlRequestSchema = z.looseObject({
  query: queryField('A GraphQL document with a query.', '{ _meta { block { number } } }'),
  variables: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'The variables the query declares.',
    unit: 'object',
    example: { first: 3 },
  }),
  operationName: operationNameField('Operation to run if `query` contains several.', 'Head'),
})

/** Error of a query. */
export const graphqlErrorSchema = z.looseObject({
  message: textField('What is wrong with the query.', 'Cannot query field "nothing" on type "Query".'),
  extensions: detailsField('On `/data/<chainid>`: `code`, `requestId` and `details` of the error.', {
    code: 'query_rejected',
    requestId: '9f2c41d07ab3-1x',
  }),
})

/** Response body of `/data/<chainid>` and `/subgraphs/<chainid>`. */
export const graphqlAnswerSchema = z.strictObject({
  data: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'The result. Its members follow the query.',
    unit: 'as the subgraph’s schema says',
    example: { _meta: { block: { number: 5184123 } } },
  }),
  errors: z.array(graphqlErrorSchema).optional().meta({ description: 'Absent if there are none.' }),
})

/** Response body of `/data/<chainid>` with a status from 400 on, as `application/json`. */
export const graphqlFailureSchema = z.strictObject({
  errors: z.array(graphqlErrorSchema).meta({ description: 'The error as GraphQL clients show it.' }),
  ...errorBodySchema.shape,
})
