import { lendCalldata, type OfferedNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { ActivityStep } from '../connect/activity.ts'
import type { Provider } from '../connect/provider/provider.ts'

/**
 * Gas of the calls of a lend by Ethereum's rules, for those that cannot be measured: without a permit's signature or an
 * allowance they revert. A test compares it with what the development chain charges.
 */
export const documentedGas = { approve: 58_000n, lend: 250_000n, permitLend: 290_000n } as const

/** What a wallet's network says about gas. */
export type GasReading = {
  /** Coins per unit of gas, in the smallest unit. */
  readonly price: bigint
  /** Measured gas. Undefined if the network could not measure it. */
  readonly approve: bigint | undefined
  readonly lend: bigint | undefined
}

/**
 * Returns an estimate of what the transactions of a lend cost, in the smallest unit of the chain's coin. Some chains count
 * gas otherwise than Ethereum. What cannot be measured there is scaled by what can.
 */
export function estimateFee(steps: readonly ActivityStep[], gas: GasReading): bigint {
  const scaled = (count: bigint) => {
    const measured = gas.approve ?? 0n
    return measured > documentedGas.approve ? (count * measured) / documentedGas.approve : count
  }
  const lend = gas.lend ?? scaled(documentedGas.lend)
  if (steps.includes('permit')) return gas.price * scaled(documentedGas.permitLend)
  return gas.price * (steps.includes('approve') ? (gas.approve ?? documentedGas.approve) + lend : lend)
}

type ReadOptions = {
  readonly chain: PortalChain
  readonly account: Address
  readonly token: Address
  /** Lend that the pool would accept now, without a permit or an approval. Undefined if there is none. */
  readonly possible: { readonly note: OfferedNote; readonly principal: bigint } | undefined
}

/** Reads the price of gas, and measures what can be measured without a signature. Asks the visitor for nothing. */
export async function readGas(
  { request }: Provider,
  { chain: { pool }, account, token, possible }: ReadOptions,
): Promise<GasReading> {
  const measure = (call: { readonly to: Address; readonly data: Hex } | undefined) =>
    call &&
    request({ method: 'eth_estimateGas', params: [{ from: account, to: call.to, data: call.data }] }).then(
      parseQuantity,
      () => undefined,
    )
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [pool, 1n] })
  const [price, approve, lend] = await Promise.all([
    request({ method: 'eth_gasPrice' }).then(parseQuantity),
    measure({ to: token, data: approval }),
    measure(possible && lendCalldata({ pool, beneficiary: account, ...possible })),
  ])
  return { price, approve, lend }
}

function parseQuantity(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,32}$/i.test(value)) return BigInt(value)
  throw new Error('The wallet did not respond with a quantity.')
}

/**
 * Formats coins with two significant digits.
 *
 * @example
 * formatCoins(421_337_000_000_000n) // '0.00042'
 */
export function formatCoins(wei: bigint): string {
  return (Number(wei) / 1e18).toLocaleString('en-US', { maximumSignificantDigits: wei < 10n ** 18n ? 2 : 6 })
}
