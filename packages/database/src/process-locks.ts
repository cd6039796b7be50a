import type { Lock } from './database.ts'

/** Creates locks for a database that only this process can open. */
export function createProcessLocks(): (name: string) => Promise<Lock | undefined> {
  const held = new Set<string>()
  return async (name) => {
    if (held.has(name)) return undefined
    held.add(name)
    const controller = new AbortController()
    return {
      lost: controller.signal,
      release: async () => {
        if (controller.signal.aborted) return
        controller.abort()
        held.delete(name)
      },
    }
  }
}
