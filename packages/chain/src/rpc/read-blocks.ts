import { type LogBloom, parseLogBloom } from '@tallystick/core'
import type { RpcCall, RpcEndpoint } from './rpc-endpoint.ts'
import { RpcError } from './rpc-error.ts'

/** Header of a block, and the filter of its logs. */
export type HeaderWithBloom = { readonly header: BlockHeader; readonly bloom: LogBloom | undefined }

/** Header of a block. Hashes are 0x hex, the timestamp is in Unix seconds. */
export type BlockHeader = {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
}

/** Reads the latest block. */
export async function readLatest(endpoint: RpcEndpoint): Promise<BlockHeader> {
  return (await readLatestHeader(endpoint)).header
}

/** As `readLatest`, with the filter of the block's logs. */
export async function readLatestHeader(endpoint: RpcEndpoint): Promise<HeaderWithBloom> {
  return parseHeader(await endpoint.call(toBlockCall('latest')), 'latest')
}

/** Reads blocks by number, in the given order. Throws if the server does not have one of them yet. */
export async function readBlocks(endpoint: RpcEndpoint, numbers: readonly number[]): Promise<readonly BlockHeader[]> {
  return (await readHeaders(endpoint, numbers)).map(({ header }) => header)
}

/** As `readBlocks`, with the filters of the blocks' logs. */
export async function readHeaders(
  endpoint: RpcEndpoint,
  numbers: readonly number[],
): Promise<readonly HeaderWithBloom[]> {
  const blocks = await endpoint.callMany(numbers.map(toBlockCall))
  return numbers.map((number, index) => parseHeader(blocks[index], number))
}

/** Returns the call for a block without its transactions. */
export function toBlockCall(asked: number | 'latest'): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [asked === 'latest' ? asked : toQuantity(asked), false] }
}

/** Parses the result of `toBlockCall`. Throws if it is another block, or the server does not have it yet. */
export function parseHeader(json: unknown, asked: number | 'latest'): HeaderWithBloom {
  const header = getHeader(json, asked)
  const { logsBloom } = json as { readonly logsBloom?: unknown }
  if (asked === 'latest' || header.number === asked) return { header, bloom: parseLogBloom(logsBloom) }
  throw new RpcError({ kind: 'malformed', message: `sent block ${header.number} instead of block ${asked}` })
}

/** Reads a block by number. Returns undefined if the server does not have it yet. */
export async function findBlock(endpoint: RpcEndpoint, number: number): Promise<BlockHeader | undefined> {
  return readBlocks(endpoint, [number]).then(
    ([block]) => block,
    (error) => {
      if (error instanceof RpcError && error.kind === 'behind') return undefined
      throw error
    },
  )
}

function getHeader(json: unknown, asked: number | 'latest'): BlockHeader {
  if (json === null || typeof json !== 'object')
    throw new RpcError({ kind: 'behind', message: `does not have block ${asked} yet` })
  const { number, hash, parentHash, timestamp } = json as Readonly<Record<string, unknown>>
  if (!isHash(hash) || !isHash(parentHash)) {
    throw new RpcError({ kind: 'malformed', message: `sent block ${asked} without hashes` })
  }
  return {
    number: parseQuantity(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    timestamp: parseQuantity(timestamp),
  }
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}

/** Parses a block number, a timestamp or a log index: all are far below 2^53. */
export function parseQuantity(value: unknown): number {
  const parsed = typeof value === 'string' && value.startsWith('0x') ? Number(value) : Number.NaN
  if (Number.isSafeInteger(parsed)) return parsed
  throw new RpcError({ kind: 'malformed', message: 'sent a number that is not hexadecimal' })
}

/** Not by viem, which a follower of a chain would load for this alone. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/**
 * Returns the number of the first block at or after an instant, or `head` + 1 if there is none. Block times ascend, so it
 * takes about 30 calls.
 */
export async function findBlockAt(
  endpoint: RpcEndpoint,
  { timestamp, head }: { readonly timestamp: number; readonly head: number },
): Promise<number> {
  let low = 0
  let high = head + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [block] = await readBlocks(endpoint, [middle])
    if (block && block.timestamp >= timestamp) high = middle
    else low = middle + 1
  }
  return low
}
