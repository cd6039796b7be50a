const key = Symbol.for('tallystick.set-up')
const shared = globalThis as { [key]?: Map<string, unknown> }

/** Returns the result of the first call with this name. Vitest loads a set-up module once per project. */
export function oncePerRun<T>(name: string, make: () => T): T {
  const results = shared[key] ?? new Map<string, unknown>()
  shared[key] = results
  if (!results.has(name)) results.set(name, make())
  return results.get(name) as T
}
