import { resolve } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import type { Database, Lock } from '../database.ts'
import { lockDirectory } from '../lock-directory.ts'
import { makePrivate } from '../make-private.ts'
import { createPortDatabase } from './port-database.ts'
import { keepThread } from './thread.ts'

// PostgreSQL's own checkpoint_timeout.
const checkpointMsDefault = 300_000

/**
 * Opens the embedded database in a directory, in a thread of its own: a statement cannot be interrupted, and this thread
 * serves requests meanwhile. Creates the database on first use, which takes a few seconds.
 */
export async function openPglite(
  directory: string,
  { checkpointMs = checkpointMsDefault }: { readonly checkpointMs?: number | undefined } = {},
): Promise<Database> {
  const path = resolve(directory)
  const label = `embedded database ${path}`
  await makePrivate(path)
  const unlock = await lockDirectory(path)
  const thread = keepThread({ path, checkpointMs }, label)
  await thread.connect().catch(async (error) => {
    await unlock()
    throw error
  })
  let closing: Promise<void> | undefined
  return {
    ...createPortDatabase(thread.connect),
    label,
    listen: thread.listen,
    tryLock: createProcessLocks(),
    openPort: async () => {
      const { port1, port2: port } = new MessageChannel()
      await (await thread.connect()).call({ kind: 'serve', port }, { transfer: [port] })
      return port1
    },
    close: () => {
      closing ??= thread.close().then(unlock)
      return closing
    },
  }
}

/** Creates locks for a database that only this process can open. */
function createProcessLocks(): (name: string) => Promise<Lock | undefined> {
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
