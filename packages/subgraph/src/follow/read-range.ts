import { type RpcEndpoint, RpcError } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import { type DecodedBlock, decodeLogs } from './decode-logs.ts'
import type { BlockLogs } from './mapping.ts'
import { readBlocks, toQuantity } from './read-chain.ts'

/** A block by what tells it from others. */
export type Position = { readonly number: number; readonly hash: string }

export type Range = {
  /** The blocks to store: those with logs, and milestones. */
  readonly blocks: readonly BlockLogs[]
  readonly logCount: number
  /** The block the range stands on, and its last one, stored or not. */
  readonly before: Position
  readonly end: Position
}

/**
 * In deep history blocks without logs are stored at multiples of this only: a cursor that does not depend on how large
 * the ranges happened to be, so that every way to index a chain ends in the same tables. A crash repeats no more than this.
 */
export const milestoneBlocks = 2_000

/** What the store has for a parent that nobody asked the chain for. */
const unknownHash = `0x${'0'.repeat(64)}`

/**
 * Reads a range of deep history. Its ends are read before the logs, which shows that the server has all of the range,
 * and again after them, which shows that its chain was the same all along.
 */
export async function readRange(
  endpoint: RpcEndpoint,
  range: { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> },
): Promise<Range> {
  const { from, to } = range
  const milestones = listMilestones(from, to)
  const [before, end, ...marks] = await readBlocks(endpoint, [from - 1, to, ...milestones])
  const decoded = await readLogs(endpoint, range)
  const untimed = decoded.filter(({ timestamp }) => timestamp === undefined)
  const again = await readBlocks(endpoint, [from - 1, to, ...untimed.map(({ number }) => number)])
  if (!before || !end || again[0]?.hash !== before.hash || again[1]?.hash !== end.hash) throw changed(from)
  const last = decoded.at(-1)
  if (last?.number === to && last.hash !== end.hash) throw changed(to)
  return {
    blocks: joinBlocks({ decoded, headers: [...marks, ...again.slice(2)], marks }),
    logCount: decoded.reduce((sum, { logs }) => sum + logs.length, 0),
    before,
    end,
  }
}

function listMilestones(from: number, to: number): readonly number[] {
  const first = Math.ceil(from / milestoneBlocks) * milestoneBlocks
  const count = Math.max(0, Math.floor((to - first) / milestoneBlocks) + 1)
  return Array.from({ length: count }, (_, index) => first + index * milestoneBlocks)
}

async function readLogs(
  endpoint: RpcEndpoint,
  { from, to, addresses }: { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> },
): Promise<readonly DecodedBlock[]> {
  const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), address: [...addresses] }
  try {
    return decodeLogs(await endpoint.call({ method: 'eth_getLogs', params: [filter] }), { from, to, addresses })
  } catch (error) {
    // Every provider has its own words for "too much", so an error is taken for that as long as there is less to ask for.
    const isRefusal = error instanceof RpcError && (error.kind === 'error' || error.kind === 'refused')
    if (!isRefusal) throw error
    const kind = from < to ? 'refused' : 'error'
    throw new RpcError({ kind, message: error.message })
  }
}

/** Blocks with logs and milestones in their order; where a header was read as well, both must agree. */
function joinBlocks(parts: {
  readonly decoded: readonly DecodedBlock[]
  readonly headers: readonly Block[]
  readonly marks: readonly Block[]
}): readonly BlockLogs[] {
  const headers = new Map(parts.headers.map((block) => [block.number, block]))
  const joined = new Map<number, BlockLogs>(parts.marks.map((block) => [block.number, { block, logs: [] }]))
  for (const { number, hash, timestamp, logs } of parts.decoded) {
    const header = headers.get(number)
    if (header && header.hash !== hash) throw changed(number)
    const time = header?.timestamp ?? timestamp
    if (time === undefined) throw changed(number)
    const parentHash = header?.parentHash ?? unknownHash
    joined.set(number, { block: { number, hash, parentHash, timestamp: time }, logs })
  }
  return [...joined.values()].sort((a, b) => a.block.number - b.block.number)
}

/** Gives blocks whose parent was not read the hash of the one before them, where that one is stored too. */
export function linkParents(blocks: readonly BlockLogs[], head: Block): readonly BlockLogs[] {
  return blocks.map(({ block, logs }, index) => {
    const previous = blocks[index - 1]?.block ?? head
    const isKnown = block.parentHash !== unknownHash || previous.number !== block.number - 1
    return isKnown ? { block, logs } : { block: { ...block, parentHash: previous.hash }, logs }
  })
}

export function changed(number: number): RpcError {
  return new RpcError({ kind: 'changed', message: `changed its chain while block ${number} was read` })
}
