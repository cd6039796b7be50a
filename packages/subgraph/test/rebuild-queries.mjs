// Plain JavaScript, because a process of its own loads it.

const queries = [
  '{ tally(id: "all") { events } events(first: 1000) { id } _meta { block { number } } }',
  '{ events(first: 1000) { id } tally(id: "all") { events } }',
]
let asked = 0

/**
 * Reads by how many events the tally of an index is wrong, with one query of several statements. Another number than the
 * index's own error is a mixture of two indexes. Throws if the query fails.
 */
export async function readTallyError(subgraph) {
  asked += 1
  // One of these is one statement, prepared.
  const [single, several] = await Promise.all([
    subgraph.execute({ query: '{ tallies { events } _meta { block { number } } }' }),
    subgraph.execute({ query: queries[asked % queries.length] }),
  ])
  for (const { errors } of [single, several]) if (errors) throw new Error(JSON.stringify(errors))
  return several.data.tally.events - several.data.events.length
}
