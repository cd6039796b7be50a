import type { MessagePort } from 'node:worker_threads'
import type { EngineOptions } from './engine.ts'

/** Settings that the thread is started with. */
export type ThreadSettings = EngineOptions & { readonly path: string; readonly port: MessagePort }

/** Request to the thread. */
export type Request =
  /** Resolves when the database is open. */
  | { readonly kind: 'open' }
  | {
      readonly kind: 'query'
      readonly text: string
      readonly parameters: readonly unknown[]
      readonly isFrequent?: boolean | undefined
      /** Id of the request that began the transaction. */
      readonly transaction?: number | undefined
    }
  | { readonly kind: 'copy'; readonly text: string; readonly rows: string; readonly transaction: number }
  | { readonly kind: 'begin'; readonly isSnapshot: boolean }
  | { readonly kind: 'end'; readonly transaction: number; readonly isCommit: boolean }
  | { readonly kind: 'listen'; readonly channel: string }
  | { readonly kind: 'unlisten'; readonly listener: number }
  /** Serves another port as well. */
  | { readonly kind: 'serve'; readonly port: MessagePort }
  | { readonly kind: 'close' }

/** Message to the thread. A request is answered once. Its abort prevents its start, if it waits. */
export type ToThread =
  | { readonly id: number; readonly request: Request; readonly isCancellable: boolean }
  | { readonly abort: number }

/** Message from the thread. */
export type FromThread =
  | { readonly id: number; readonly rows: readonly object[] }
  /** A clone of an error has no fields of its own, such as the code. */
  | { readonly id: number; readonly error: Error; readonly fields: object }
  /** Id of the request that started to listen. */
  | { readonly listener: number; readonly payload: string }
