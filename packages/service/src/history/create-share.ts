/** Creates a function with which reads of the same page at the same time share one. */
export function createShare<Result>(): (wanted: object, read: () => Promise<Result>) => Promise<Result> {
  const pending = new Map<string, Promise<Result>>()
  return (wanted, read) => {
    const key = JSON.stringify(wanted, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
    const known = pending.get(key)
    if (known) return known
    const started = read().finally(() => pending.delete(key))
    pending.set(key, started)
    return started
  }
}
