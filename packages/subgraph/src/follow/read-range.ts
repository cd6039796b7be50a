import {
  isHash,
  parseQuantity,
  type RangeSizer,
  type RpcEndpoint,
  RpcError,
  readBlocks,
  toQuantity,
} from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { BlockLogs, Log } from './mapping.ts'

/** Number and hash of a block. */
export type Position = { readonly number: number; readonly hash: string }

export type Range = {
  /** Blocks to store: those with logs, and milestones. */
  readonly blocks: readonly BlockLogs[]
  readonly logCount: number
  /** Parent of the first block, and the last block, stored or not. */
  readonly before: Position
  readonly end: Position
}

/**
 * Interval of milestones: blocks of deep history that are stored without logs. Since it does not depend on the size of
 * the ranges, the tables are the same however a chain is indexed. After a crash at most this many blocks are read again.
 */
const milestoneBlocks = 2_000

/** Stored in place of a parent hash that was not read. */
const unknownHash = `0x${'0'.repeat(64)}`

/**
 * Reads a range of deep history. Both ends are read before the logs, so the server has the whole range, and again after
 * them, so its chain did not change in between.
 */
export async function readRange(endpoint: RpcEndpoint, range: Bounds): Promise<Range> {
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

type Widest = Bounds & {
  readonly sizer: RangeSizer
  readonly isOver?: (() => boolean) | undefined
}

/** Reads a range like `readRange`, or a smaller one from the same block on if the server rejects its size. */
export async function readWidest(
  endpoint: RpcEndpoint,
  { from, to, addresses, sizer, isOver }: Widest,
): Promise<Range> {
  for (;;) {
    const end = Math.min(to, from + sizer.size - 1)
    try {
      return await readRange(endpoint, { from, to: end, addresses })
    } catch (error) {
      const isTooMuch = error instanceof RpcError && (error.kind === 'refused' || error.kind === 'timeout')
      if (!isTooMuch || end === from || isOver?.()) throw error
      sizer.refused(end - from + 1)
    }
  }
}

function listMilestones(from: number, to: number): readonly number[] {
  const first = Math.ceil(from / milestoneBlocks) * milestoneBlocks
  const count = Math.max(0, Math.floor((to - first) / milestoneBlocks) + 1)
  return Array.from({ length: count }, (_, index) => first + index * milestoneBlocks)
}

async function readLogs(endpoint: RpcEndpoint, { from, to, addresses }: Bounds): Promise<readonly DecodedBlock[]> {
  const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), address: [...addresses] }
  try {
    return decodeLogs(await endpoint.call({ method: 'eth_getLogs', params: [filter] }), { from, to, addresses })
  } catch (error) {
    // Providers report a range that is too large in different ways, so every error of a range of several blocks counts as
    // a rejection of its size.
    const isRefusal = error instanceof RpcError && (error.kind === 'error' || error.kind === 'refused')
    if (!isRefusal) throw error
    const kind = from < to ? 'refused' : 'error'
    throw new RpcError({ kind, message: error.message })
  }
}

/** Merges blocks with logs and milestones in order. Throws if a header and the logs of a block disagree. */
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

/** Sets the parent hash of blocks whose parent was not read but is the stored block before them. */
export function linkParents(blocks: readonly BlockLogs[], head: Block): readonly BlockLogs[] {
  return blocks.map(({ block, logs }, index) => {
    const previous = blocks[index - 1]?.block ?? head
    const isKnown = block.parentHash !== unknownHash || previous.number !== block.number - 1
    return isKnown ? { block, logs } : { block: { ...block, parentHash: previous.hash }, logs }
  })
}

export function changed(number: number): RpcError {
  return new RpcError({ kind: 'changed', message: `changed its chain during the read of block ${number}` })
}

/** Logs of one block in their order. The timestamp is undefined if the server does not send it. */
export type DecodedBlock = {
  readonly number: number
  readonly hash: string
  readonly timestamp: number | undefined
  readonly logs: readonly Log[]
}

type Bounds = { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> }

/** Decodes the response to eth_getLogs in chain order and drops duplicates. Throws if it has a log that was not requested. */
export function decodeLogs(json: unknown, bounds: Bounds): readonly DecodedBlock[] {
  if (!Array.isArray(json)) throw malformed('not a list')
  const entries = json.map((raw) => decodeEntry(raw, bounds))
  entries.sort((a, b) => a.number - b.number || a.log.logIndex - b.log.logIndex)
  const blocks: (DecodedBlock & { readonly logs: Log[] })[] = []
  for (const { number, hash, timestamp, log } of entries) {
    const last = blocks.at(-1)
    if (last?.number !== number) blocks.push({ number, hash, timestamp, logs: [log] })
    else if (last.hash !== hash) throw malformed(`two blocks with number ${number}`)
    else if (last.logs.at(-1)?.logIndex !== log.logIndex) last.logs.push(log)
  }
  return blocks
}

function decodeEntry(raw: unknown, { from, to, addresses }: Bounds) {
  const entry = (raw ?? {}) as Readonly<Record<string, unknown>>
  const { blockHash, blockTimestamp, transactionHash, topics, data, address, removed } = entry
  if (!isHash(blockHash) || !isHash(transactionHash)) throw malformed('a log without hashes')
  if (typeof data !== 'string' || !/^0x[0-9a-f]*$/i.test(data) || typeof address !== 'string')
    throw malformed('a log without data')
  if (!Array.isArray(topics) || !topics.every(isHash)) throw malformed('a log without topics')
  const number = parseQuantity(entry['blockNumber'])
  const emitter = address.toLowerCase()
  if (number < from || number > to || !addresses.has(emitter) || removed === true)
    throw malformed('a log that was not requested')
  return {
    number,
    hash: blockHash.toLowerCase(),
    timestamp: blockTimestamp === undefined || blockTimestamp === null ? undefined : parseQuantity(blockTimestamp),
    log: {
      address: emitter,
      topics: topics.map((topic) => topic.toLowerCase()),
      data: data.toLowerCase(),
      transactionHash: transactionHash.toLowerCase(),
      logIndex: parseQuantity(entry['logIndex']),
    },
  }
}

function malformed(what: string): RpcError {
  return new RpcError({ kind: 'malformed', message: `sent an invalid response to eth_getLogs: ${what}` })
}
