import type { QueryRequest } from '@tallystick/subgraph'
import type { PublicAnswer } from './public-answer.ts'

/** Settings that the thread is started with. */
export type ThreadSettings = {
  readonly databaseUrl: string
  readonly connectionsMax: number
  /** Namespace of the index, by chain. */
  readonly namespaces: ReadonlyMap<number, string>
}

/** Message to the thread. */
export type ToThread =
  | { readonly id: number; readonly chainId: number; readonly request: Omit<QueryRequest, 'signal'> }
  | { readonly abort: number }

/** Message from the thread. */
export type FromThread =
  | ({ readonly id: number } & PublicAnswer)
  | { readonly id: number; readonly failure: string }
  | { readonly begun: number }
  | { readonly chainId: number; readonly internalError: unknown }
