import { parse } from 'graphql'

/** Returns the names of the operations of a query, or none if it is not complete. */
export function listOperations(query: string): readonly string[] {
  try {
    const { definitions } = parse(query)
    return definitions.flatMap((each) => (each.kind === 'OperationDefinition' && each.name ? each.name.value : []))
  } catch {
    return []
  }
}
