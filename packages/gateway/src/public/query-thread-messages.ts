import type { MessagePort } from 'node:worker_threads'
import type { QueryRequest } from '@tallystick/subgraph'
import type { PublicAnswer } from './public-answer.ts'

/** Settings that the thread is started with. */
export type ThreadSettings = {
  /** URL of a PostgreSQL database, or a port to the embedded one. */
  readonly database: string | MessagePort
  /** On PostgreSQL. */
  readonly connectionsMax: number
  /** Namespace of the index, by chain. */
  readonly namespaces: ReadonlyMap<number, string>
}

/** Message to the thread. */
export type ToThread =
  | { readonly id: number; readonly chainId: number; readonly request: Omit<QueryRequest, 'signal' | 'document'> }
  | { readonly abort: number }

/** Message from the thread. */
export type FromThread =
  | ({ readonly id: number } & PublicAnswer)
  | { readonly id: number; readonly failure: string }
  | { readonly begun: number }
  | { readonly chainId: number; readonly internalError: unknown }
