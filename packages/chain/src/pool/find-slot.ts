import { type Address, encodeAbiParameters, type Hex, keccak256, toHex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { type CallOutcome, type ContractStorage, callContract } from './call-contract.ts'

/** A key of a mapping: an account or a token id. */
type MappingKey = bigint | Address

// Where contracts have the mappings of OpenZeppelin: at one of the first slots, or at those of its upgradeable contracts.
const plainSlots = Array.from({ length: 13 }, (_, slot) => BigInt(slot))
/** `openzeppelin.storage.ERC20` by ERC-7201: balances, then allowances. */
const erc20Location = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
/** `openzeppelin.storage.ERC721` by ERC-7201, four slots before the approvals. */
const erc721Location = 0x80bb2b638cc20bc4d0a60d66940f3ab4a00c1d7b313497ca82fb0b4ab0079300n
const mappingSlots = [...plainSlots, erc20Location, erc20Location + 1n, erc721Location + 4n]

/** Returns the storage slot of a mapping's value, or of a nested one's with several keys. */
function slotOf(mapping: bigint, keys: readonly MappingKey[]): Hex {
  return keys.reduce<Hex>((slot, key) => {
    const word = { type: 'uint256' } as const
    return keccak256(encodeAbiParameters([word, word], [BigInt(key), BigInt(slot)]))
  }, toHex(mapping))
}

function toWord(value: bigint): Hex {
  return toHex(value, { size: 32 })
}

/** Returns the storage that a mapping has with a value. */
export function storageOf(mapping: bigint, { keys, value }: Pick<MappingProbe, 'keys' | 'value'>): ContractStorage {
  return { [slotOf(mapping, keys)]: toWord(value) }
}

export type MappingProbe = {
  readonly contract: Address
  /** Encoded call of the getter with the keys. */
  readonly getter: Hex
  readonly keys: readonly MappingKey[]
  readonly value: bigint
}

/**
 * Finds the mapping behind a getter by trying: overrides the usual slots, each in a call of its own, and looks which one
 * the getter returns.
 * Returns undefined if the node does not support overrides or the contract has the mapping elsewhere.
 */
export async function findMapping(
  endpoint: RpcEndpoint,
  { contract, getter, keys, value }: MappingProbe,
): Promise<bigint | undefined> {
  const isBehind = async (mapping: bigint) => {
    const overrides = { [contract]: { stateDiff: storageOf(mapping, { keys, value }) } }
    const outcome = await callContract(endpoint, { to: contract, data: getter, overrides }).catch(toUnsupported)
    return 'value' in outcome && outcome.value === toWord(value)
  }
  const found = await Promise.all(mappingSlots.map(isBehind))
  return mappingSlots[found.indexOf(true)]
}

function toUnsupported(error: unknown): CallOutcome {
  if (!(error instanceof RpcError) || error.kind !== 'error') throw error
  return { timeUnsupported: true, message: error.message }
}
