import type { Note } from '@tallystick/client'
import { calculateFixedIncome, calculateFloatingIncome } from '@tallystick/contracts/pool-functions'
import { type Address, concatHex, createPublicClient, encodeAbiParameters, type Hex, http, zeroHash } from 'viem'
import type { Credentials } from '../../../test/set-up/start-sandbox.ts'

const incomeAbi = [calculateFixedIncome, calculateFloatingIncome] as const
// uint128 lendTimestamp, uint128 maturityTimestamp, uint256 coupon, uint256 principal, uint256 partnerFeeBPS, bytes32 partnerId
const lendInfoTypes = ['uint128', 'uint128', 'uint256', 'uint256', 'uint256', 'bytes32'].map((type) => ({ type }))
// Copies the 192 bytes behind it and returns them.
const returnDataBehind: Hex = '0x60c0600c60003960c06000f3'

type Instant = { readonly tokenId: bigint; readonly at: bigint; readonly positionsCode?: Hex }

/** Returns what the pool computes as the income of a position at an instant. */
export async function readIncome(credentials: Credentials, instant: Instant) {
  return {
    fixed: await readPool(credentials, { ...instant, functionName: 'calculateFixedIncome' }),
    floating: await readPool(credentials, { ...instant, functionName: 'calculateFloatingIncome' }),
  }
}

/** Returns the fixed income the pool would pay at maturity if a wallet had lent at an instant. */
export async function readFixedIncome(
  credentials: Credentials,
  { note, principal, at }: { readonly note: Note; readonly principal: bigint; readonly at: bigint },
): Promise<bigint> {
  const { maturityTimestamp, coupon } = note
  // The pool asks the position token for the terms. For this call the token knows one position, the one in question.
  const terms = encodeAbiParameters(lendInfoTypes, [at, maturityTimestamp, coupon, principal, 0n, zeroHash])
  const positionsCode = concatHex([returnDataBehind, terms])
  return readPool(credentials, {
    tokenId: 1n,
    at: maturityTimestamp,
    positionsCode,
    functionName: 'calculateFixedIncome',
  })
}

function readPool(
  { chains: [{ rpcUrl, pool, positions }] }: Credentials,
  { tokenId, at, positionsCode, functionName }: Instant & { readonly functionName: (typeof incomeAbi)[number]['name'] },
): Promise<bigint> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const stateOverride = positionsCode === undefined ? [] : [{ address: positions as Address, code: positionsCode }]
  const override = { stateOverride, blockOverrides: { time: at } }
  return client.readContract({ address: pool, abi: incomeAbi, functionName, args: [tokenId], ...override })
}
