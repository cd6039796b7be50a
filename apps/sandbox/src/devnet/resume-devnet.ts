import { existsSync } from 'node:fs'
import { JournalError } from '@tallystick/workbench/dev-chain/journal'
import type { DevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { Hash } from 'viem'
import { callNode, toQuantity } from '../call-node.ts'
import { sourcesHash } from '../generated/sources-hash.ts'
import { type Devnet, type DevnetParts, nodeOptions } from './devnet.ts'
import { type DevnetRecord, findRecord } from './record.ts'

/** The chain of the last run, or why there is no going on with it. */
export type Resumption = { readonly devnet: Devnet } | { readonly obstacle: string }

export async function resumeDevnet({ home, clock, signer, startNode }: DevnetParts): Promise<Resumption> {
  const record = findRecord(home.chain.record)
  if (!record) return { obstacle: 'its chain was never finished' }
  if (record.signer !== signer.address) return { obstacle: 'its chain takes the notes of another signer' }
  if (record.sourcesHash !== sourcesHash) return { obstacle: 'its chain has the contracts of another version' }
  if (!existsSync(home.chain.journal)) return { obstacle: 'the state of its chain is missing' }
  const node = await startOnJournal(() => startNode(nodeOptions(home)))
  if (!node) return { obstacle: 'the state of its chain is damaged' }
  const obstacle = await findObstacle(node, { record, nowSeconds: BigInt(Math.floor(clock.now() / 1000)) })
  if (obstacle === undefined) return { devnet: { node, record } }
  await node.stop()
  return { obstacle }
}

/** Starts the chain from its journal. Returns undefined if the journal cannot be used. */
async function startOnJournal(start: () => Promise<DevChain>): Promise<DevChain | undefined> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof JournalError) return undefined
    throw error
  }
}

async function findObstacle(
  { url }: DevChain,
  { record, nowSeconds }: { readonly record: DevnetRecord; readonly nowSeconds: bigint },
): Promise<string | undefined> {
  const [seeded, head] = (await callNode(url, [
    { method: 'eth_getBlockByNumber', params: [toQuantity(record.seeded.number), false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ])) as readonly [{ hash: Hash } | null, { timestamp: string }]
  if (seeded?.hash !== record.seeded.hash) return 'the state of its chain is another chain’s'
  // Blocks cannot go back in time, and a chain ahead of the clock would have its notes refused.
  if (BigInt(head.timestamp) > nowSeconds) return 'it was last run at a later time than now'
  return undefined
}
