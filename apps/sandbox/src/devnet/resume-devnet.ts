import { existsSync } from 'node:fs'
import { sourcesHash } from '@tallystick/contracts'
import { callNode, type NodeBlock, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import { JournalError } from '@tallystick/workbench/dev-chain/journal'
import type { DevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { createProgress, type SandboxChain, sayFor } from '../home/sandbox-chain.ts'
import { type Devnet, type DevnetParts, type DevnetRecord, findRecord, nodeOptions } from './devnet.ts'

/** Chain of the last run, or the reason why it cannot be resumed. */
export type Resumption = { readonly devnet: Devnet } | { readonly obstacle: string }

/** Starts the chain of the last run, or returns why it cannot be resumed. */
export async function resumeDevnet(
  { clock, signer, startNode, say }: DevnetParts,
  chain: SandboxChain,
): Promise<Resumption> {
  const { label } = chain
  const record = findRecord(chain)
  if (!record) return { obstacle: `its ${label} is incomplete` }
  if (record.signer !== signer.address) return { obstacle: `its ${label} has another signer` }
  if (record.sourcesHash !== sourcesHash) return { obstacle: `its ${label} has contracts of another version` }
  if (!existsSync(chain.journal)) return { obstacle: `the state of its ${label} is missing` }
  const report = createProgress(sayFor(chain, say))
  const onProgress = (share: number) => report(`replaying the chain, ${Math.floor(100 * share)} %`)
  const node = await startOnJournal(() => startNode({ ...nodeOptions(chain), onProgress }))
  if (!node) return { obstacle: `the state of its ${label} is damaged` }
  const obstacle = await findObstacle(node, { chain, record, nowSeconds: BigInt(Math.floor(clock.now() / 1000)) })
  if (obstacle === undefined) return { devnet: { chain, node, record } }
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

type Expected = { readonly chain: SandboxChain; readonly record: DevnetRecord; readonly nowSeconds: bigint }

async function findObstacle({ url }: DevChain, { chain, record, nowSeconds }: Expected): Promise<string | undefined> {
  const [seeded, head] = (await callNode(url, [
    { method: 'eth_getBlockByNumber', params: [toQuantity(record.seeded.number), false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ])) as readonly [NodeBlock | null, NodeBlock]
  // A truncated journal results in a shorter chain.
  if (!seeded) return `the state of its ${chain.label} is damaged`
  if (seeded.hash !== record.seeded.hash) return `the state of its ${chain.label} belongs to another chain`
  // Block times cannot decrease, and a pool that is ahead of the clock rejects the notes.
  if (BigInt(head.timestamp) > nowSeconds) return 'it was last run at a later time'
  return undefined
}
