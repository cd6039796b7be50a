import type { Address } from 'viem'
import type { Client } from '../create-client.ts'
import type { ChainPositions } from '../data/fetch-positions.ts'
import { type Fetched, useFetched } from './use-fetched.ts'

/** Options of `usePositions`. */
export type UsePositionsOptions = {
  /** By default the client's chains. */
  readonly chains?: readonly number[] | undefined
  /** Fetches again after this many seconds, at least 1, while the page is visible; by default only on `refetch`. */
  readonly refreshSeconds?: number | undefined
}

/**
 * Fetches all positions of a wallet, per chain. Without a wallet it fetches nothing. Call `refetch` after a lend or a claim.
 * Create the client once, outside the component.
 *
 * @example
 * import { createElement } from 'react'
 * import { renderToString } from 'react-dom/server'
 * function Positions() {
 *   const { data, isLoading } = usePositions(client, wallet)
 *   const positions = data?.flatMap((chain) => chain.positions ?? [])
 *   return createElement('p', {}, isLoading ? 'Loading' : `${positions?.length} positions`)
 * }
 * renderToString(createElement(Positions)) // => '<p>Loading</p>'
 */
export function usePositions(
  client: Pick<Client, 'positions'>,
  wallet: Address | undefined,
  options: UsePositionsOptions = {},
): Fetched<readonly ChainPositions[]> {
  const { chains, refreshSeconds } = options
  const key = wallet && JSON.stringify([wallet.toLowerCase(), chains])
  return useFetched({ source: client, key, refreshSeconds }, (signal) =>
    client.positions(wallet as Address, { chains, signal }),
  )
}
