import { poolAbi } from '@tallystick/contracts'
import { type Address, encodeFunctionData } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { callContract } from './call-contract.ts'
import { decodeGetter } from './decode-getter.ts'
import { createReadLimitLogs } from './read-limit-logs.ts'

/** Contracts whose pause stops lends and claims. */
export const pausableContracts = ['pool', 'position token', 'dollar'] as const
export type PausableContract = (typeof pausableContracts)[number]

export type PoolLimits = {
  /** Principal in the dollar's smallest unit. */
  readonly minLendLimit: bigint | undefined
  /** Basis points. */
  readonly maxCouponLimit: bigint | undefined
  /** Seconds. */
  readonly minMaturityLimit: bigint | undefined
}

export type PoolPauses = {
  /** Whether the contract has `paused()`. If not, it is not a pool of this protocol, or there is no contract. */
  readonly tellsPause: boolean
  readonly paused: readonly PausableContract[]
}

/** Current state of a pool. A value that the contract does not expose is undefined. */
export type PoolState = PoolPauses & { readonly limits: PoolLimits }

type Getter = Extract<
  (typeof poolAbi)[number],
  { readonly stateMutability: 'view'; readonly inputs: readonly [] }
>['name']

/**
 * Creates a function that reads which contracts of a pool are paused, and its limits. Limits without a getter are read from
 * logs, from the block after the last call on.
 */
export function createReadPoolState(pool: Address): (endpoint: RpcEndpoint) => Promise<PoolState> {
  const readLimitLogs = createReadLimitLogs(pool)
  return async (endpoint) => {
    const read = (getter: Getter) => readGetter(endpoint, { to: pool, getter })
    const [pauses, minLendLimit, maxCouponLimit, minMaturityLimit] = await Promise.all([
      readPauses(endpoint, pool),
      read('minLendLimit'),
      read('maxCouponLimit'),
      read('minMaturityLimit'),
    ])
    const hasGetters = maxCouponLimit !== undefined && minMaturityLimit !== undefined
    const limits = { minLendLimit, maxCouponLimit, minMaturityLimit } as PoolLimits
    return { ...pauses, limits: hasGetters ? limits : { ...limits, ...(await readLimitLogs(endpoint)) } }
  }
}

/** Reads which of a pool's contracts are paused. */
export async function readPauses(endpoint: RpcEndpoint, pool: Address): Promise<PoolPauses> {
  const read = (to: Address, getter: Getter) => readGetter(endpoint, { to, getter })
  const findContract = async (names: readonly Getter[]) => {
    const found = await Promise.all(names.map((name) => read(pool, name)))
    return found.find((address) => address !== undefined) as Address | undefined
  }
  const readPaused = async (contract: Address | undefined) => contract && read(contract, 'paused')
  const pauses = await Promise.all([
    readPaused(pool),
    findContract(['nonFungibleNotePosition', 'positions']).then(readPaused),
    findContract(['paraUSD', 'token']).then(readPaused),
  ])
  return {
    tellsPause: pauses[0] !== undefined,
    paused: pausableContracts.filter((_, index) => pauses[index] === true),
  }
}

async function readGetter(
  endpoint: RpcEndpoint,
  { to, getter }: { readonly to: Address; readonly getter: Getter },
): Promise<unknown> {
  const data = encodeFunctionData({ abi: poolAbi, functionName: getter } as never)
  return decodeGetter(getter, await callContract(endpoint, { to, data }))
}
