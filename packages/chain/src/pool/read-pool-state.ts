import { type Address, getAddress } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { probeSigner } from './probe-signer.ts'
import { dayMax } from './read-floating-income.ts'
import { readAddress, readGetter } from './read-getter.ts'
import { createReadLimitLogs } from './read-limit-logs.ts'

/** Contracts whose pause stops lends and claims. */
const pausableContracts = ['pool', 'position token', 'dollar'] as const
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

/** Current state of a pool. A value that cannot be read is undefined. */
export type PoolState = PoolPauses & {
  readonly limits: PoolLimits
  /** Signer whose notes the pool accepts. */
  readonly signer: Address | undefined
  /** Last UTC day whose floating income is known, days since 1970-01-01. Undefined if none has been set. */
  readonly lastIncomeDay: number | undefined
}

/**
 * Creates a function that reads which contracts of a pool are paused, its limits and its signer. The limits of coupon and
 * maturity have no getter and are read from logs, from the block after the last call on.
 */
export function createReadPoolState(
  pool: Address,
  startBlock: number | undefined,
): (endpoint: RpcEndpoint) => Promise<PoolState> {
  const readLimitLogs = createReadLimitLogs(pool, startBlock)
  return async (endpoint) => {
    const [pauses, minLendLimit, announced, signer, day] = await Promise.all([
      readPauses(endpoint, pool),
      readGetter(endpoint, { to: pool, getter: 'minLendLimit' }),
      readLimitLogs(endpoint),
      probeSigner(endpoint, { pool }),
      readGetter(endpoint, { to: pool, getter: 'lastFloatingIncomeUpdateDay' }) as Promise<bigint | undefined>,
    ])
    const lastIncomeDay = day !== undefined && day > 0n && day <= dayMax ? Number(day) : undefined
    const { maxCouponLimit, minMaturityLimit } = announced
    const limits = { minLendLimit: minLendLimit as bigint | undefined, maxCouponLimit, minMaturityLimit }
    return { ...pauses, limits, signer: signer && getAddress(signer), lastIncomeDay }
  }
}

/** Reads which of a pool's contracts are paused. */
export async function readPauses(endpoint: RpcEndpoint, pool: Address): Promise<PoolPauses> {
  const readPaused = async (to: Address | undefined) => to && readGetter(endpoint, { to, getter: 'paused' })
  const pauses = await Promise.all([
    readPaused(pool),
    readAddress(endpoint, { to: pool, getter: 'nonFungibleNotePosition' }).then(readPaused),
    readAddress(endpoint, { to: pool, getter: 'paraUSD' }).then(readPaused),
  ])
  return {
    tellsPause: pauses[0] !== undefined,
    paused: pausableContracts.filter((_, index) => pauses[index] === true),
  }
}
