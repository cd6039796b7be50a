import type { Client } from '@tallystick/client'
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'

/** Fetches the subgraph's schema by introspection. All chains have the same schema, so it queries one. */
export async function fetchSchema(client: Client, signal: AbortSignal): Promise<GraphQLSchema> {
  const [first] = await client.data<IntrospectionQuery>({ query: getIntrospectionQuery(), signal })
  if (!first?.data) throw new Error('The schema could not be loaded.')
  return buildClientSchema(first.data)
}
