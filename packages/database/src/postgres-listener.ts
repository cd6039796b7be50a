import type pg from 'pg'
import { endIfSilent } from './end-if-silent.ts'

type Handler = (payload: string | undefined) => void

const reconnectDelayMs = 250

/**
 * Creates a listener: one connection for all LISTEN statements of this process, with automatic reconnect, also from a
 * connection that is silent. Notifications during a disconnect are lost, so each handler is called once, without a payload,
 * after a reconnect.
 */
export function createListener(createClient: () => pg.Client, heartbeatMs?: number) {
  const handlers = new Map<string, Set<Handler>>()
  let connecting: Promise<pg.Client> | undefined
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const connect = async () => {
    const client = createClient()
    client.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    client.on('error', () => undefined)
    client.on('end', () => {
      connecting = undefined
      scheduleReconnect()
    })
    await client.connect()
    endIfSilent(client, heartbeatMs)
    for (const channel of handlers.keys()) await client.query(`listen ${channel}`)
    return client
  }
  const connected = () => {
    connecting ??= connect().catch((error) => {
      connecting = undefined
      throw error
    })
    return connecting
  }
  const scheduleReconnect = () => {
    if (closed || retry || handlers.size === 0) return
    retry = setTimeout(() => {
      retry = undefined
      connected().then(
        () => {
          for (const set of handlers.values()) for (const handler of set) handler(undefined)
        },
        () => scheduleReconnect(),
      )
    }, reconnectDelayMs)
  }

  return {
    listen: async (channel: string, onNotify: Handler): Promise<() => Promise<void>> => {
      const client = await connected()
      const set = handlers.get(channel) ?? new Set()
      handlers.set(channel, set.add(onNotify))
      if (set.size === 1) await client.query(`listen ${channel}`)
      return async () => {
        set.delete(onNotify)
      }
    },
    close: async (): Promise<void> => {
      closed = true
      clearTimeout(retry)
      const client = await connecting?.catch(() => undefined)
      await client?.end()
    },
  }
}
