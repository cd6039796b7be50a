import type { Client } from '@tallystick/client'
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'

/** The schema of the subgraph, as it tells it itself. Every chain has the same one, so one chain is asked. */
export async function fetchSchema(client: Client, signal: AbortSignal): Promise<GraphQLSchema> {
  const [first] = await client.data<IntrospectionQuery>({ query: getIntrospectionQuery(), signal })
  if (!first?.data) throw new Error('The schema could not be read.')
  return buildClientSchema(first.data)
}
