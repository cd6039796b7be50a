import { InvalidRequestError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { untilAborted } from '../http/with-deadline.ts'
import { fetchChains } from './fetch-chains.ts'

/** Returns the chains of a call that names none. */
export type DefaultChains = (signal: AbortSignal | undefined) => Promise<readonly number[]>

/**
 * Creates a function that returns the service's chains with data. They are fetched at the first call. Concurrent calls share
 * the request, and a failed one is repeated at the next call. The signal of a call ends only its own wait.
 */
export function createDefaultChains(connection: Connection): DefaultChains {
  let fetched: Promise<readonly number[]> | undefined
  return async (signal) => {
    signal?.throwIfAborted()
    fetched ??= fetchDataChains(connection).catch((error: unknown) => {
      fetched = undefined
      throw error
    })
    return untilAborted(fetched, signal)
  }
}

async function fetchDataChains(connection: Connection): Promise<readonly number[]> {
  const chains = (await fetchChains(connection)).filter(({ hasData }) => hasData).map(({ chainId }) => chainId)
  if (chains.length > 0) return chains
  const message = 'No chain of the service has data. Ask the operator to configure a subgraph.'
  throw new InvalidRequestError({ code: 'invalid_chains', message })
}
