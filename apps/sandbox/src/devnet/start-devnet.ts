import { mkdirSync } from 'node:fs'
import { sourcesHash } from '@tallystick/contracts'
import { readHead } from '@tallystick/workbench/dev-chain/call-node'
import { createClient, defineChain, type Hash, http } from 'viem'
import { type SandboxChain, sayFor } from '../home/sandbox-chain.ts'
import { deployProtocol } from '../protocol/deploy-protocol.ts'
import { planHistory } from '../seed/plan-history.ts'
import { seedHistory } from '../seed/seed-history.ts'
import { sandboxWallets } from '../seed/wallets.ts'
import { type Devnet, type DevnetParts, nodeOptions, writeRecord } from './devnet.ts'

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
