import { callContracts, type RpcEndpoint } from '@tallystick/chain'
import type { Account } from '../entities.ts'
import type { Difference } from './difference.ts'
import { encodeWord, integerAt } from './words.ts'

export type AccountsToCompare = {
  /** Address of the position token. */
  readonly token: `0x${string}`
  /** Block that the index is at. */
  readonly block: number
  readonly accounts: readonly Pick<Account, 'id' | 'activePositions'>[]
}

const balanceOf = '0x70a08231'

/** Compares how many positions accounts hold with the position token. */
export async function compareAccounts(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { token, block, accounts }: AccountsToCompare,
): Promise<readonly Difference[]> {
  const calls = accounts.map(({ id }) => ({ to: token, data: encodeWord(balanceOf, BigInt(id)), block }))
  const results = await callContracts(endpoint, calls)
  return accounts.flatMap(({ id, activePositions }, index) => {
    const result = results[index]
    const balance = result === undefined ? 0n : integerAt(result, 0)
    if (balance === BigInt(activePositions)) return []
    const message = `Account ${id} holds ${activePositions} positions in the index and ${balance} on the chain.`
    return [{ id, message }]
  })
}
