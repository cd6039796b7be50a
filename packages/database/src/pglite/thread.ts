import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Database } from '../database.ts'
import type { ThreadSettings } from './messages.ts'
import { createPortClient, databaseUnusable, type PortClient } from './port-database.ts'

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

type Thread = {
  readonly client: PortClient
  /** Resolves when the thread has ended, for whatever reason. Then all calls fail. */
  readonly ended: Promise<void>
  terminate(): Promise<void>
}

const { resolve } = createRequire(import.meta.url)
// The thread runs the bundle of `thread-main.ts`, found by its name, because this module is in other bundles too.
const findEntry = () => resolve('@tallystick/database/pglite-thread')

/** Starts the thread of an embedded database. Resolves when the database is open. */
async function startThread(settings: Pick<ThreadSettings, 'path' | 'checkpointMs'>, label: string): Promise<Thread> {
  const wasmModule = await compileOnce()
  const { port1, port2: port } = new MessageChannel()
  const workerData: ThreadSettings = { ...settings, wasmModule, port }
  // Without the flags of this process, which may be for running TypeScript.
  const worker = new Worker(findEntry(), { workerData, transferList: [port], execArgv: [], name: 'embedded database' })
  worker.unref()
  const client = createPortClient(port1)
  let reason: Error | undefined
  worker.on('error', (error) => {
    reason = error
  })
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      client.fail(databaseUnusable(label, reason))
      resolve()
    })
  })
  const terminate = async () => {
    await worker.terminate()
  }
  await client.call({ kind: 'open' }).catch(async (error) => {
    await terminate()
    throw error
  })
  return { client, ended, terminate }
}

// The types of WebAssembly would come with those of a browser.
type WasmApi = { readonly compile: (bytes: Uint8Array) => Promise<object> }

let compiling: Promise<object> | undefined

/** Compiles the engine once per process: its threads share the code. */
function compileOnce(): Promise<object> {
  compiling ??= compile().catch((error) => {
    compiling = undefined
    throw error
  })
  return compiling
}

async function compile(): Promise<object> {
  const { compile } = (globalThis as unknown as Readonly<Record<'WebAssembly', WasmApi>>).WebAssembly
  const path = join(dirname(resolve('@electric-sql/pglite')), 'pglite.wasm')
  return compile(await readFile(path))
}
