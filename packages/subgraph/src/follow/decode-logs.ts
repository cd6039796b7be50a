import { RpcError } from '@tallystick/chain'
import type { Log } from './mapping.ts'
import { isHash, parseQuantity } from './read-chain.ts'

/** The logs of one block, in their order; the time is missing where the server does not say it. */
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

/** Decodes the answer to eth_getLogs: in the order of the chain, each log once, nothing that was not asked for. */
export function decodeLogs(json: unknown, bounds: Bounds): readonly DecodedBlock[] {
  if (!Array.isArray(json)) throw garbage('something that is not a list')
  const entries = json.map((raw) => decodeEntry(raw, bounds))
  entries.sort((a, b) => a.number - b.number || a.log.logIndex - b.log.logIndex)
  const blocks: (DecodedBlock & { readonly logs: Log[] })[] = []
  for (const { number, hash, timestamp, log } of entries) {
    const last = blocks.at(-1)
    if (last?.number !== number) blocks.push({ number, hash, timestamp, logs: [log] })
    else if (last.hash !== hash) throw garbage(`two blocks ${number}`)
    else if (last.logs.at(-1)?.logIndex !== log.logIndex) last.logs.push(log)
  }
  return blocks
}

function decodeEntry(raw: unknown, { from, to, addresses }: Bounds): Entry {
  const entry = (raw ?? {}) as Readonly<Record<string, unknown>>
  const { blockHash, blockTimestamp, transactionHash, topics, data, address, removed } = entry
  if (!isHash(blockHash) || !isHash(transactionHash)) throw garbage('one without hashes')
  if (typeof data !== 'string' || typeof address !== 'string') throw garbage('one without data')
  if (!Array.isArray(topics) || !topics.every((topic) => typeof topic === 'string')) throw garbage('one without topics')
  const number = parseQuantity(entry['blockNumber'])
  const emitter = address.toLowerCase()
  if (number < from || number > to || !addresses.has(emitter) || removed === true) throw garbage('one not asked for')
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

function garbage(what: string): RpcError {
  return new RpcError({ kind: 'malformed', message: `answered eth_getLogs with logs that cannot be: ${what}` })
}
