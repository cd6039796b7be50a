import { z } from 'zod'
import { field } from './field.ts'

/** The body of `POST /subgraphs/<chainid>`, by the GraphQL over HTTP specification. */
export const graphqlRequestSchema = z.looseObject({
  query: field(z.string(), {
    description: 'A GraphQL document with a query.',
    unit: 'GraphQL text',
    example: '{ _meta { block { number } } }',
  }),
  variables: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'The variables the query declares.',
    unit: 'object',
    example: { first: 3 },
  }),
  operationName: field(z.string().nullish(), {
    description: 'Which operation to run, where `query` has several.',
    unit: 'name in `query`',
    example: 'Head',
  }),
})

/** What is wrong with a query. */
export const graphqlErrorSchema = z.looseObject({
  message: field(z.string(), {
    description: 'What is wrong with the query.',
    unit: 'text for people',
    example: 'Cannot query field "nothing" on type "Query".',
  }),
})

/** An answer of `/subgraphs/<chainid>`. A query that fails has `errors`, and is a 200, as graph-node has it. */
export const graphqlAnswerSchema = z.strictObject({
  data: field(z.record(z.string(), z.unknown()).nullish(), {
    description: 'The answer; its members follow the query.',
    unit: 'as the subgraph’s schema says',
    example: { _meta: { block: { number: 5184123 } } },
  }),
  errors: z.array(graphqlErrorSchema).optional().meta({ description: 'Left out where there are none.' }),
})
