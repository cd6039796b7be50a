import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Clock } from '@tallystick/base'
import { sourcesHash } from '@tallystick/contracts'
import type { Signer } from '@tallystick/issuer'
import { readHead } from '@tallystick/workbench/dev-chain/call-node'
import type { DevChain, DevChainOptions } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { type Address, createClient, defineChain, type Hash, http } from 'viem'
import { type SandboxChain, sayFor } from '../home/sandbox-chain.ts'
import { deployProtocol, type Protocol } from '../protocol/deploy-protocol.ts'
import { planHistory } from '../seed/plan-history.ts'
import { seedHistory } from '../seed/seed-history.ts'
import { sandboxWallets } from '../seed/wallets.ts'

/** Local chain with the deployed protocol and its history. */
export type Devnet = { readonly chain: SandboxChain; readonly node: DevChain; readonly record: DevnetRecord }

/** Description of a chain, stored beside it. It is written last, so a chain without it is incomplete. */
export type DevnetRecord = {
  readonly protocol: Protocol
  readonly signer: Address
  readonly sourcesHash: string
  readonly positionCount: number
  /** Last block of the seeded history. It identifies the chain. */
  readonly seeded: { readonly number: number; readonly hash: Hash }
}

export type DevnetParts = {
  readonly clock: Clock
  readonly signer: Signer
  readonly say: (line: string) => void
  /** Starts a node that is stopped with the sandbox, even during its start. */
  readonly startNode: (options: DevChainOptions) => Promise<DevChain>
}

/** Returns the options of a chain's node. */
export function nodeOptions({ id, journal }: SandboxChain): DevChainOptions {
  // Enough gas for hundreds of lends in one block.
  return { chainId: id, journalPath: journal, blockGasLimit: 1_000_000_000n }
}

/** Returns undefined if the record is missing or cannot be parsed. */
export function findRecord({ record }: SandboxChain): DevnetRecord | undefined {
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as DevnetRecord
  } catch {
    return undefined
  }
}

function writeRecord({ record: path }: SandboxChain, record: DevnetRecord): void {
  writeFileSync(`${path}.draft`, `${JSON.stringify(record, undefined, 2)}\n`)
  renameSync(`${path}.draft`, path)
}

/** Starts a new chain, deploys the protocol and seeds 60 days of history up to the clock's second. */
export async function startDevnet(
  { clock, signer, startNode, say: sayOfAll }: DevnetParts,
  { chain, positionCount }: { readonly chain: SandboxChain; readonly positionCount: number },
): Promise<Devnet> {
  const say = sayFor(chain, sayOfAll)
  const nowSeconds = BigInt(Math.floor(clock.now() / 1000))
  const history = planHistory({ nowSeconds, positionCount, chainId: chain.id })
  say(`creating the chain with 60 days of history and ${positionCount} position${positionCount === 1 ? '' : 's'}`)
  mkdirSync(chain.dir, { recursive: true })
  const node = await startNode({ ...nodeOptions(chain), timestamp: history.startsAt })
  const protocol = await deployProtocol(createDeployer(node.url, chain), { signer: signer.address })
  await seedHistory(node.url, { context: { chainId: chain.id, protocol, signer, nowSeconds }, history, say })
  const { number, hash } = await readHead(node.url)
  const seeded = { number: Number(number), hash: hash as Hash }
  const record = { protocol, signer: signer.address, sourcesHash, positionCount, seeded }
  writeRecord(chain, record)
  return { chain, node, record }
}

/** Creates a client of a local chain whose account is the administrator's. The node signs for it. */
export function createDeployer(url: string, { id, name }: { readonly id: number; readonly name: string }) {
  const chain = defineChain({
    id,
    name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return createClient({ chain, account: sandboxWallets().admin.address, transport: http(url), cacheTime: 0 })
}
