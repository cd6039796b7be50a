// Enough for the notes of 20 chains in several periods.
const countMax = 1_000

/**
 * Creates a function that returns the earlier result of a key, or computes it. It remembers the newest 1,000 results. Only
 * for results that depend on nothing but the key.
 *
 * @example
 * const recall = createRecentResults<Hex>()
 * recall(text, () => keccak256(text))
 */
export function createRecentResults<Result>(): (key: string, compute: () => Result) => Result {
  const results = new Map<string, Result>()
  return (key, compute) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute()
    results.set(key, result)
    if (results.size > countMax) results.delete(results.keys().next().value as string)
    return result
  }
}
