import type { QueryRequest } from '@tallystick/subgraph'
import type { PublicAnswer } from './public-answer.ts'

/** What the thread is started with. */
export type ThreadSettings = {
  readonly databaseUrl: string
  readonly connectionsMax: number
  /** Of the index of each chain. */
  readonly namespaces: ReadonlyMap<number, string>
}

/** What the thread is told. */
export type ToThread =
  | { readonly id: number; readonly chainId: number; readonly request: Omit<QueryRequest, 'signal'> }
  | { readonly abort: number }

/** What the thread tells. */
export type FromThread =
  | ({ readonly id: number } & PublicAnswer)
  | { readonly id: number; readonly failure: string }
  | { readonly begun: number }
  | { readonly chainId: number; readonly internalError: unknown }
