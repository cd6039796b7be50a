import type { GraphQLSchema } from 'graphql'
import { buildApiSchema } from './api-schema.ts'
import { parseSchema } from './parse-schema.ts'

/** Returns the GraphQL API of a subgraph with this SDL. */
export function graphqlSchemaOf(schema: string): GraphQLSchema {
  return buildApiSchema(parseSchema(schema)).graphql
}
