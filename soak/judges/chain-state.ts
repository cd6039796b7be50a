import { positionTokenAbi } from '@tallystick/contracts'
import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { SoakChain } from '../environment/chain.ts'
import type { Position } from './positions.ts'

/** Position as the contracts have it. A claimed one has no owner and no terms. */
export type PositionState = {
  readonly tokenId: string
  readonly owner?: string | undefined
  readonly terms?: Readonly<Record<string, string>> | undefined
}

const abi: Abi = positionTokenAbi
const batchSize = 100
// Token ids count up from 1, so positions that the logs hide are behind those that they have.
const probedIds = 20

/** Reads the owner and the terms of each token id, up to some that do not exist, by calls instead of logs. */
export async function readPositionStates(
  { url, protocol }: SoakChain,
  { knownIds }: { readonly knownIds: number },
): Promise<readonly PositionState[]> {
  const ids = Array.from({ length: knownIds + probedIds }, (_, at) => BigInt(at + 1))
  const states: PositionState[] = []
  for (let from = 0; from < ids.length; from += batchSize) {
    const batch = ids.slice(from, from + batchSize)
    const owners = await callAll(url, { to: protocol.positions, functionName: 'ownerOf', ids: batch })
    const infos = await callAll(url, { to: protocol.positions, functionName: 'getLendInfo', ids: batch })
    for (const [at, tokenId] of batch.entries()) {
      const owner = owners[at] as Address | undefined
      states.push({ tokenId: String(tokenId), owner: owner?.toLowerCase(), terms: owner && toTerms(infos[at]) })
    }
  }
  return states
}

function toTerms(info: unknown): Readonly<Record<string, string>> {
  const { lendTimestamp, maturityTimestamp, coupon, principal, partnerFeeBPS, partnerId } = info as Record<
    string,
    unknown
  >
  const terms = { lendTimestamp, maturityTimestamp, coupon, principal, partnerFeeBPS, partnerId }
  return Object.fromEntries(Object.entries(terms).map(([name, value]) => [name, String(value)]))
}

/** Calls a function for each token id. The result of a call that reverts is undefined. */
async function callAll(
  url: string,
  { to, functionName, ids }: { readonly to: Address; readonly functionName: string; readonly ids: readonly bigint[] },
): Promise<readonly unknown[]> {
  const calls = ids.map((tokenId, id) => {
    const data = encodeFunctionData({ abi, functionName, args: [tokenId] })
    return { jsonrpc: '2.0', id, method: 'eth_call', params: [{ to, data }, 'latest'] }
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(calls) })
  const results: unknown[] = []
  for (const { id, result } of (await response.json()) as readonly { readonly id: number; readonly result?: Hex }[]) {
    results[id] = result && decodeFunctionResult({ abi, functionName, data: result })
  }
  return results
}

/** Describes the first difference between the served positions and the contracts' state. Returns undefined if there is none. */
export function compareWithStates(
  served: readonly Position[],
  { states }: { readonly states: readonly PositionState[] },
): string | undefined {
  const byId = new Map(served.map((position) => [position['tokenId'], position]))
  for (const { tokenId, owner, terms = {} } of states) {
    const position = byId.get(tokenId)
    if (!position && !owner) continue
    if (!position) return `position ${tokenId} is not served, but ${owner} owns it on the chain`
    const expected: Position = owner ? { status: 'Active', currentOwner: owner, ...terms } : { status: 'Claimed' }
    const field = Object.keys(expected).find((name) => position[name] !== expected[name])
    if (field) return `position ${tokenId} has ${field} ${position[field]}, in the contracts ${expected[field]}`
  }
  return undefined
}
