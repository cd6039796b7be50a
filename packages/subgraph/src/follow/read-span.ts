import {
  type HeaderWithBloom,
  parseHeader,
  type RpcEndpoint,
  RpcError,
  readHeaders,
  toBlockCall,
} from '@tallystick/chain'
import type { LogBloom } from '@tallystick/core'
import type { BlockLogs } from './mapping.ts'
import { changed, type DecodedBlock, decodeLogs } from './read-range.ts'

type Span = {
  readonly from: number
  readonly to: number
  readonly contracts: Contracts
  /** Header of `to`, if it was just read. */
  readonly last?: HeaderWithBloom | undefined
}

/**
 * Reads blocks, then their logs by block hash (EIP-234), so that both belong together. For an unknown hash some servers
 * return no logs instead of an error, so the last block is read again, in the same request as the logs: it must be the
 * same. A server can also leave out the logs of a block that it has, so the filters in the headers are compared.
 */
export async function readSpan(
  endpoint: RpcEndpoint,
  { from, to, contracts, last }: Span,
): Promise<readonly BlockLogs[]> {
  const { addresses } = contracts
  const known = last?.header.number === to ? [last] : []
  const unknown = Array.from({ length: to - from + 1 - known.length }, (_, index) => from + index)
  const headers = [...(await readHeaders(endpoint, unknown)), ...known]
  const address = [...addresses]
  const answers = await endpoint.callMany([
    ...headers.map(({ header: { hash } }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, address }] })),
    toBlockCall(to),
  ])
  const { header: again } = parseHeader(answers.at(-1), to)
  if (again.hash !== headers.at(-1)?.header.hash) throw changed(to)
  const blocks = headers.map(({ header, bloom }, index) => {
    const parent = headers[index - 1]?.header
    if (parent && parent.hash !== header.parentHash) throw changed(header.number)
    const decoded = decodeLogs(answers[index], { from: header.number, to: header.number, addresses })
    return { block: header, bloom, logs: logsOf(decoded, header.hash) }
  })
  await refuseLeftOutLogs(endpoint, { blocks, contracts })
  return blocks.map(({ block, logs }) => ({ block, logs }))
}

function logsOf([decoded]: readonly DecodedBlock[], hash: string): BlockLogs['logs'] {
  if (decoded && decoded.hash !== hash) throw changed(decoded.number)
  return decoded?.logs ?? []
}

/** Contracts whose logs are indexed, in lower case, and the first topics of the events that a mapping uses, if known. */
type Contracts = { readonly addresses: ReadonlySet<string>; readonly topics: readonly string[] | undefined }

type CheckedBlock = BlockLogs & { readonly bloom: LogBloom | undefined }

/**
 * Compares logs with the filters in the headers of their blocks. Where a filter contains a contract and an event, but there
 * is no such log, the receipts decide. Throws `RpcError` if the server left out logs, or sent one that the filter lacks.
 */
async function refuseLeftOutLogs(
  endpoint: RpcEndpoint,
  { blocks, contracts }: { readonly blocks: readonly CheckedBlock[]; readonly contracts: Contracts },
): Promise<void> {
  for (const { block, bloom, logs } of blocks) {
    if (!bloom?.isUseful) continue
    const foreign = logs.find(({ address, topics }) => ![address, ...topics].every(bloom.contains))
    if (foreign) throw malformed(`sent a log of block ${block.number} that the filter of the block does not contain`)
    const hinted = listHinted(bloom, contracts)
    const isMissing = hinted.some((address) => !logs.some((log) => log.address === address))
    if (!isMissing) continue
    const count = await countLogs(endpoint, { hash: block.hash, addresses: contracts.addresses })
    // There can be fewer: zkSync has logs without a transaction.
    if (count === undefined || count <= logs.length) continue
    throw malformed(`sent ${logs.length} of ${count} logs of block ${block.number}`)
  }
}

function listHinted(bloom: LogBloom, { addresses, topics }: Contracts): readonly string[] {
  const hasEvent = topics?.some(bloom.contains) ?? true
  return hasEvent ? [...addresses].filter(bloom.contains) : []
}

/** Counts the logs in the receipts of a block. Returns undefined if the server does not have the method or the receipts. */
async function countLogs(
  endpoint: RpcEndpoint,
  { hash, addresses }: { readonly hash: string; readonly addresses: ReadonlySet<string> },
): Promise<number | undefined> {
  const receipts = await endpoint.call({ method: 'eth_getBlockReceipts', params: [hash] }).catch((error: unknown) => {
    if (error instanceof RpcError && (error.kind === 'error' || error.kind === 'refused')) return undefined
    throw error
  })
  if (!Array.isArray(receipts)) return undefined
  const logs = receipts.flatMap((receipt) => (Array.isArray(receipt?.logs) ? receipt.logs : []))
  return logs.filter((log) => typeof log?.address === 'string' && addresses.has(log.address.toLowerCase())).length
}

function malformed(message: string): RpcError {
  return new RpcError({ kind: 'malformed', message })
}
