import { dollarTokenAbi, positionTokenAbi } from '@tallystick/contracts'
import { AccessControlUnauthorizedAccount } from '@tallystick/contracts/errors'
import { claim, lend } from '@tallystick/contracts/pool-functions'
import type { Note } from '@tallystick/core'
import { type Address, decodeErrorResult, encodeFunctionData, type Hex, isAddressEqual, zeroHash } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { type ContractCall, type ContractStorage, callContract } from './call-contract.ts'
import { describeRevert } from './describe-revert.ts'
import { findMapping, type MappingProbe, storageOf } from './find-slot.ts'
import { readAddress } from './read-getter.ts'

/** Result of a simulated call. `unknown`: it could not be simulated, or failed for a reason that is not about roles. */
export type WiringResult = {
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  /** Clause without a full stop. */
  readonly message: string
}

/** Whether a pool and its tokens work together. */
export type PoolWiring = {
  readonly positionToken: Address | undefined
  readonly dollar: Address | undefined
  /** Whether the pool may mint the dollar, which every claim needs. */
  readonly mint: WiringResult
  /** A whole lend of the smallest principal. */
  readonly lend: WiringResult
  /** A claim of a mature position. */
  readonly claim: WiringResult
}

export type WiringOptions = {
  /** A note that is valid now. Undefined if there is none. */
  readonly note: Note | undefined
  /** Smallest principal that the pool accepts. */
  readonly principal: bigint
  /** Mature positions. They are tried until a claim of one can be judged. */
  readonly mature: readonly bigint[]
  /** Block time to simulate. */
  readonly atSeconds: bigint
}

// Nobody has its key, and it has no code.
const lender: Address = '0x00000000000000000000000000007a11957ec000'
// Calls until the storage of a token is probed again after it was not found.
const callsPerProbe = 60

/** Creates a function that checks the wiring of a pool by calls alone. It keeps where the tokens have their mappings. */
export function createCheckWiring(
  pool: Address,
): (endpoint: RpcEndpoint, options: WiringOptions) => Promise<PoolWiring> {
  const findBalances = createMappingFinder()
  const findAllowances = createMappingFinder()
  const findApprovals = createMappingFinder()
  const fund = async (endpoint: RpcEndpoint, dollar: Address, value: bigint) => {
    const of = { contract: dollar, value }
    const balance = encodeFunctionData({ abi: dollarTokenAbi, functionName: 'balanceOf', args: [lender] })
    const allowance = encodeFunctionData({ abi: dollarTokenAbi, functionName: 'allowance', args: [lender, pool] })
    const balances = await findBalances(endpoint, { ...of, getter: balance, keys: [lender] })
    const allowances = await findAllowances(endpoint, { ...of, getter: allowance, keys: [lender, pool] })
    return balances && allowances && { [dollar]: { stateDiff: { ...balances, ...allowances } } }
  }
  const approve = async (endpoint: RpcEndpoint, positions: Address, tokenId: bigint) => {
    const getter = encodeFunctionData({ abi: positionTokenAbi, functionName: 'getApproved', args: [tokenId] })
    const of = { contract: positions, value: BigInt(pool) }
    const stateDiff = await findApprovals(endpoint, { ...of, getter, keys: [tokenId] })
    return stateDiff && { [positions]: { stateDiff } }
  }
  const tryLend = async (endpoint: RpcEndpoint, dollar: Address | undefined, options: WiringOptions) => {
    const { note, principal, atSeconds } = options
    if (!note) return notSimulated('there is no note')
    // Not a round amount, so that no other value can be taken for it.
    const overrides = dollar && (await fund(endpoint, dollar, principal + 1_234_567n))
    if (!overrides) return notSimulated(unsupported)
    const params = { beneficiary: lender, partnerId: zeroHash, partnerFeeBPS: 0n, principal }
    const data = encodeFunctionData({ abi: [lend], args: [params, note, note.signature] })
    return simulate(endpoint, { pool, what: 'a lend', call: { from: lender, to: pool, data, overrides, atSeconds } })
  }
  const tryClaim = async (endpoint: RpcEndpoint, positions: Address | undefined, options: WiringOptions) => {
    let last = notSimulated('no mature position is known')
    for (const tokenId of positions ? options.mature : []) {
      const owner = await readAddress(endpoint, { to: positions as Address, getter: 'ownerOf', args: [tokenId] })
      const overrides = owner && (await approve(endpoint, positions as Address, tokenId))
      if (!owner || !overrides) {
        last = notSimulated(owner ? unsupported : `position ${tokenId} has no owner`)
        continue
      }
      const data = encodeFunctionData({ abi: [claim], args: [owner, tokenId] })
      const call = { from: owner, to: pool, data, overrides, atSeconds: options.atSeconds }
      last = await simulate(endpoint, { pool, what: `a claim of position ${tokenId}`, call })
      if (last.outcome !== 'unknown') return last
    }
    return last
  }
  return async (endpoint, options) => {
    const [positionToken, dollar] = await Promise.all([
      readAddress(endpoint, { to: pool, getter: 'nonFungibleNotePosition' }),
      readAddress(endpoint, { to: pool, getter: 'paraUSD' }),
    ])
    const mint = dollar ? await tryMint(endpoint, { pool, dollar }) : notSimulated('the pool names no dollar')
    const lent = await tryLend(endpoint, dollar, options)
    const claimed = await tryClaim(endpoint, positionToken, options)
    return { positionToken, dollar, mint, lend: lent, claim: claimed }
  }
}

const unsupported = 'the RPC does not support state overrides, or the token has an unusual storage'

function notSimulated(why: string): WiringResult {
  return { outcome: 'unknown', message: `not simulated: ${why}` }
}

/** Simulates that the pool mints a trifle to itself. */
async function tryMint(
  endpoint: RpcEndpoint,
  { pool, dollar }: { readonly pool: Address; readonly dollar: Address },
): Promise<WiringResult> {
  const data = encodeFunctionData({ abi: dollarTokenAbi, functionName: 'mint', args: [pool, 1n] })
  return simulate(endpoint, { pool, what: 'a mint of the dollar', call: { from: pool, to: dollar, data } })
}

/** Simulates a call. Only a role that the pool lacks counts as refused: other reverts may be about this one call. */
async function simulate(
  endpoint: RpcEndpoint,
  { pool, what, call }: { readonly pool: Address; readonly what: string; readonly call: ContractCall },
): Promise<WiringResult> {
  try {
    const outcome = await callContract(endpoint, call)
    if ('timeUnsupported' in outcome) {
      if (call.atSeconds === undefined) return notSimulated(unsupported)
      return await simulate(endpoint, { pool, what, call: { ...call, atSeconds: undefined } })
    }
    if ('value' in outcome) return { outcome: 'accepted', message: `${what} succeeds` }
    const role = findMissingRole(outcome.revert, pool)
    if (role) return { outcome: 'refused', message: `${what} fails: the pool lacks the role ${role}` }
    return { outcome: 'unknown', message: `${what} fails: ${describeRevert(outcome.revert).message}` }
  } catch (error) {
    // Nodes may reject a caller that is a contract. That says nothing about the pool.
    if (error instanceof RpcError && error.kind === 'error') return notSimulated(error.message)
    throw error
  }
}

function findMissingRole(revert: Hex, pool: Address): Hex | undefined {
  try {
    const { args } = decodeErrorResult({ abi: [AccessControlUnauthorizedAccount], data: revert })
    return isAddressEqual(args[0], pool) ? args[1] : undefined
  } catch {
    return undefined
  }
}

/** Creates a function that returns the storage which sets a mapping's value, and keeps where the mapping is. */
function createMappingFinder() {
  let known: { readonly contract: Address; readonly mapping: bigint | undefined } | undefined
  let callsToProbe = 0
  return async (endpoint: RpcEndpoint, probe: MappingProbe): Promise<ContractStorage | undefined> => {
    const { contract } = probe
    if (known?.contract !== contract || (known.mapping === undefined && callsToProbe-- <= 0)) {
      callsToProbe = callsPerProbe
      // Also if it fails: a node that limits requests must not be probed with every check.
      known = { contract, mapping: undefined }
      known = { contract, mapping: await findMapping(endpoint, probe) }
    }
    return known.mapping === undefined ? undefined : storageOf(known.mapping, probe)
  }
}
