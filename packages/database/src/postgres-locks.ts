import type pg from 'pg'
import type { Lock } from './database.ts'
import { endIfSilent } from './end-if-silent.ts'

// A crashed host does not close its connection. Without these the server would keep its locks for 2 h, the TCP default.
const dropDeadHolders = [
  "set tcp_keepalives_idle = '5s'",
  "set tcp_keepalives_interval = '2s'",
  'set tcp_keepalives_count = 3',
  "set tcp_user_timeout = '10s'",
]

/**
 * Creates locks on one session for all locks of this process. The server releases them when the session ends. A session can
 * take the same advisory lock twice, so held locks are tracked here.
 */
export function createLocks(createClient: () => pg.Client) {
  const held = new Map<string, AbortController>()
  let connecting: Promise<pg.Client> | undefined
  const connected = () => {
    connecting ??= openSession(createClient(), () => {
      connecting = undefined
      for (const controller of held.values()) controller.abort()
      held.clear()
    }).catch((error) => {
      connecting = undefined
      throw error
    })
    return connecting
  }

  return {
    tryLock: async (name: string): Promise<Lock | undefined> => {
      if (held.has(name)) return undefined
      const controller = new AbortController()
      const forget = () => {
        if (held.get(name) === controller) held.delete(name)
      }
      held.set(name, controller)
      let isTaken = false
      try {
        const session = await connected()
        isTaken = await takeLock(session, name)
        if (!isTaken) return undefined
        const release = async () => {
          if (controller.signal.aborted) return
          controller.abort()
          // If the session has ended, the server has already released the lock.
          await session.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => undefined)
          forget()
        }
        return { lost: controller.signal, release }
      } finally {
        if (!isTaken) forget()
      }
    },
    close: async (): Promise<void> => {
      const session = await connecting?.catch(() => undefined)
      await session?.end()
    },
  }
}

async function openSession(client: pg.Client, onEnd: () => void): Promise<pg.Client> {
  client.on('error', () => undefined)
  await client.connect()
  // A holder must notice a lost lock before the next holder has done much.
  endIfSilent(client)
  for (const statement of dropDeadHolders) await client.query(statement)
  client.on('end', onEnd)
  return client
}

async function takeLock(session: pg.Client, name: string): Promise<boolean> {
  const { rows } = await session.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name])
  return rows[0]?.taken === true
}
