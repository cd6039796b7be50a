import { type RpcEndpoint, RpcError } from '@tallystick/chain'
import type { LogBloom } from '@tallystick/core'
import type { BlockLogs } from './mapping.ts'

/** Contracts whose logs are indexed, in lower case, and the first topics of the events that a mapping uses, if known. */
export type Contracts = { readonly addresses: ReadonlySet<string>; readonly topics: readonly string[] | undefined }

type CheckedBlock = BlockLogs & { readonly bloom: LogBloom | undefined }

/**
 * Compares logs with the filters in the headers of their blocks. Where a filter contains a contract and an event, but there
 * is no such log, the receipts decide. Throws `RpcError` if the server left out logs, or sent one that the filter lacks.
 */
export async function refuseLeftOutLogs(
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
