import { isAddressEqual } from 'viem'
import { readContract } from 'viem/actions'
import type { Client as TallystickClient } from '../create-client.ts'
import { InvalidRequestError } from '../errors.ts'
import { positionAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import { findPositionToken, type PositionReference } from './claim.ts'
import { isRevert } from './transaction/is-revert.ts'
import { TransactionError, throwNamed } from './transaction/transaction-error.ts'

/** Returns the account's matured positions, oldest first. The index may lag, so that the chain decides who holds them. */
export async function findMatured(
  context: ActionContext,
  { client, countMax }: { readonly client: Pick<TallystickClient, 'positions'> | undefined; readonly countMax: number },
): Promise<readonly bigint[]> {
  const { chainId, owner } = context
  if (!client) {
    const message = 'Without `tokenIds`, the positions are read from the service: use tallystickActions({ client }).'
    throw new InvalidRequestError({ code: 'invalid_request', message })
  }
  const [[result], now] = await Promise.all([client.positions(owner, { chains: [chainId] }), context.chainTime()])
  if (!result?.positions) {
    const message = `The positions on chain ${chainId} are not available: ${result?.errors?.[0]?.message ?? 'no answer'}`
    throw new TransactionError({ code: 'chain_failed', message, retryable: true })
  }
  const tokenIds = result.positions
    .filter(({ status, maturityTimestamp }) => status === 'Active' && maturityTimestamp <= now)
    .map(({ tokenId }) => tokenId)
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, countMax)
  const positions = await findPositionToken(context)
  const held = await mapBounded(tokenIds, (tokenId) => isHeld(context, { positions, tokenId }))
  return tokenIds.filter((_, index) => held[index])
}

/** Returns whether the account holds a position. A claimed one has no owner: the call reverts. */
async function isHeld({ client, owner }: ActionContext, { positions, tokenId }: PositionReference): Promise<boolean> {
  const call = { address: positions, abi: positionAbi, functionName: 'ownerOf', args: [tokenId] } as const
  return readContract(client, call).then(
    (holder) => isAddressEqual(holder, owner),
    (error: unknown) => (isRevert(error) ? false : throwNamed(error, tokenId)),
  )
}

const readsAtOnce = 10

/** Maps values to results, a few at once, so that a node is not asked for a thousand at the same time. */
export async function mapBounded<Value, Result>(
  values: readonly Value[],
  map: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < values.length; start += readsAtOnce) {
    results.push(...(await Promise.all(values.slice(start, start + readsAtOnce).map(map))))
  }
  return results
}
