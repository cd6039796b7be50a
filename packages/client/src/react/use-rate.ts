import type { Client } from '../create-client.ts'
import type { RateAnswer } from '../rate/fetch-rate.ts'
import { type Fetched, useFetched } from './use-fetched.ts'

/** Options of `useRate`. */
export type UseRateOptions = {
  /** One chain; all chains by default. */
  readonly chainId?: number | undefined
  /** Fetches again after this many seconds, at least 1, while the page is visible; by default only on `refetch`. */
  readonly refreshSeconds?: number | undefined
}

/**
 * Fetches the fixed, floating and market rates. Create the client once, outside the component.
 *
 * @example
 * import { createElement } from 'react'
 * import { renderToString } from 'react-dom/server'
 * function Rate() {
 *   const { data, error } = useRate(client, { chainId: 324, refreshSeconds: 60 })
 *   return createElement('p', {}, data?.marketRate ?? error?.message ?? 'Loading')
 * }
 * renderToString(createElement(Rate)) // => '<p>Loading</p>'
 */
export function useRate(client: Pick<Client, 'rate'>, options: UseRateOptions = {}): Fetched<RateAnswer> {
  const { chainId, refreshSeconds } = options
  return useFetched({ source: client, key: String(chainId), refreshSeconds }, (signal) =>
    client.rate({ chainId, signal }),
  )
}
