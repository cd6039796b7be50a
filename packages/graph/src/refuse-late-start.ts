/** Stops an index that started too late. Its sums would be wrong permanently. */
export function refuseLateStart(fault: string): void {
  // The Graph treats an error of a mapping as deterministic: the subgraph fails at this block on every indexer.
  throw new Error(`${fault}. Index again from the block of the pool's deployment or before.`)
}
