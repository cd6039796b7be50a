import { RpcError } from '@tallystick/chain'

type Hex = `0x${string}`

// Not by viem, which a follower of a chain would load for this alone.

/** Encodes the call of a function with one word. */
export function encodeWord(selector: Hex, word: bigint): Hex {
  return `${selector}${word.toString(16).padStart(64, '0')}`
}

/** Returns a word of a result, 0x hex in lower case. Throws if the result is shorter. */
export function hexAt(result: Hex, index: number): Hex {
  const word = result.slice(2 + 64 * index, 2 + 64 * (index + 1)).toLowerCase()
  if (word.length === 64) return `0x${word}`
  throw new RpcError({ kind: 'malformed', message: 'responded to eth_call with fewer words than the contract returns' })
}

export function integerAt(result: Hex, index: number): bigint {
  return BigInt(hexAt(result, index))
}

export function addressAt(result: Hex, index: number): Hex {
  return `0x${hexAt(result, index).slice(-40)}`
}
