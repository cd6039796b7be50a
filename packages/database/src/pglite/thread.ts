import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { TallystickError } from '@tallystick/core'
import type { ThreadSettings } from './messages.ts'
import { createPortClient, type PortClient } from './port-client.ts'

export type Thread = {
  readonly client: PortClient
  /** Resolves when the thread has ended, for whatever reason. Then all calls fail. */
  readonly ended: Promise<void>
  terminate(): Promise<void>
}

const { resolve } = createRequire(import.meta.url)
// The thread runs the bundle of `thread-main.ts`, found by its name, because this module is in other bundles too.
const findEntry = () => resolve('@tallystick/database/pglite-thread')

/** Starts the thread of an embedded database. Resolves when the database is open. */
export async function startThread(
  settings: Pick<ThreadSettings, 'path' | 'checkpointMs'>,
  label: string,
): Promise<Thread> {
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

/** Error of a call that a thread cannot answer. */
export function databaseUnusable(label: string, cause: unknown): TallystickError {
  if (cause instanceof TallystickError) return cause
  const reason = cause instanceof Error ? cause.message : 'its thread ended'
  return new TallystickError({
    code: 'database_unavailable',
    message: `The ${label} cannot be used (${reason}). The next request opens it again.`,
    retryable: true,
    cause,
  })
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
