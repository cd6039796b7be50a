import { isHash, parseQuantity, RpcError } from '@tallystick/chain'
import type { Log } from './mapping.ts'

/** Logs of one block in their order. The timestamp is undefined if the server does not send it. */
export type DecodedBlock = {
  readonly number: number
  readonly hash: string
  readonly timestamp: number | undefined
  readonly logs: readonly Log[]
}

type Bounds = { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> }

type Entry = {
  readonly number: number
  readonly hash: string
  readonly timestamp: number | undefined
  readonly log: Log
}

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

function decodeEntry(raw: unknown, { from, to, addresses }: Bounds): Entry {
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
