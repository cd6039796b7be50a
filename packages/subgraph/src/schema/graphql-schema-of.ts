import type { GraphQLSchema } from 'graphql'
import { buildApiSchema } from './api-schema.ts'
import { parseSchema } from './parse-schema.ts'

/** The GraphQL API that a subgraph of this SDL has. */
export function graphqlSchemaOf(schema: string): GraphQLSchema {
  return buildApiSchema(parseSchema(schema)).graphql
}
