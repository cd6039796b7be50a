import type { GraphQLSchema } from 'graphql'
import { apiSchemaOf } from './api-schema-of.ts'

/** Returns the GraphQL API of a subgraph with this SDL. */
export function graphqlSchemaOf(schema: string): GraphQLSchema {
  return apiSchemaOf(schema).graphql
}
