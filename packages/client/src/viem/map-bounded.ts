const readsAtOnce = 10

/** Maps values to results, a few at once, so that a node is not asked for a thousand at the same time. */
export async function mapBounded<Value, Result>(
  values: readonly Value[],
  map: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < values.length; start += readsAtOnce) {
    results.push(...(await Promise.all(values.slice(start, start + readsAtOnce).map(map))))
  }
  return results
}
