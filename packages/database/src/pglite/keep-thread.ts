import type { Database } from '../database.ts'
import type { ThreadSettings } from './messages.ts'
import type { PortClient } from './port-client.ts'
import { databaseUnusable, startThread, type Thread } from './thread.ts'

export type KeptThread = {
  /** Returns the client of the running thread. Starts a thread if the last one ended. */
  connect(): Promise<PortClient>
  readonly listen: Database['listen']
  close(): Promise<void>
}

type Listener = { readonly channel: string; readonly onNotify: (payload: string | undefined) => void }

/**
 * Keeps a thread for an embedded database. If it ends, for example without memory, the directory is as after a crash of the
 * process, and the next thread recovers it from the write-ahead log.
 */
export function keepThread(settings: Pick<ThreadSettings, 'path' | 'checkpointMs'>, label: string): KeptThread {
  const stops = new Map<Listener, () => Promise<void>>()
  let running: Promise<Thread> | undefined
  let isClosing = false
  let wasOpen = false

  const listenOn = async ({ client }: Thread, listener: Listener) => {
    stops.set(listener, await client.listen(listener.channel, listener.onNotify))
  }
  const start = async () => {
    try {
      const thread = await startThread(settings, label)
      for (const listener of stops.keys()) {
        await listenOn(thread, listener)
        listener.onNotify(undefined)
      }
      wasOpen = true
      return thread
    } catch (error) {
      throw wasOpen ? databaseUnusable(label, error) : error
    }
  }
  const run = () => {
    const started = start()
    const forget = () => {
      if (running === started) running = undefined
    }
    const replace = () => {
      forget()
      // A listener may wait for nothing that would start the next thread.
      if (stops.size > 0 && !isClosing) connect().catch(() => undefined)
    }
    started.then(({ ended }) => ended.then(replace), forget)
    return started
  }
  const find = () => {
    if (isClosing) throw databaseUnusable(label, new Error('it was closed'))
    running ??= run()
    return running
  }
  const connect = async () => (await find()).client
  return {
    connect,
    listen: async (channel, onNotify) => {
      const listener = { channel, onNotify }
      await listenOn(await find(), listener)
      return async () => {
        const stop = stops.get(listener)
        stops.delete(listener)
        await stop?.()
      }
    },
    close: () => {
      isClosing = true
      return end(running)
    },
  }
}

/** Ends a thread when its last statement has ended. A thread that fails ends too, and loses nothing that was committed. */
async function end(running: Promise<Thread> | undefined): Promise<void> {
  const thread = await running?.catch(() => undefined)
  await thread?.client.call({ kind: 'close' }).catch(() => undefined)
  await thread?.terminate()
}
