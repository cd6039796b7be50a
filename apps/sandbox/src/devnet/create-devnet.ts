import { mkdirSync } from 'node:fs'
import { sourcesHash } from '@tallystick/contracts'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { createClient, defineChain, type Hash, http } from 'viem'
import { deployProtocol } from '../deploy-protocol.ts'
import { lenderCount, partnerFeesBps } from '../seed/history.ts'
import { planHistory } from '../seed/plan-history.ts'
import { seedHistory } from '../seed/seed-history.ts'
import { assignWallets, type Wallet } from '../wallets.ts'
import { type Devnet, type DevnetParts, nodeOptions } from './devnet.ts'
import { writeRecord } from './record.ts'
import { type SandboxChain, sayFor } from './sandbox-chain.ts'

/** Starts a new chain, deploys the protocol and seeds 60 days of history up to the clock's second. */
export async function createDevnet(
  { clock, signer, startNode, ...parts }: DevnetParts,
  { chain, positionCount }: { readonly chain: SandboxChain; readonly positionCount: number },
): Promise<Devnet> {
  const say = sayFor(chain, parts.say)
  const nowSeconds = BigInt(Math.floor(clock.now() / 1000))
  const history = planHistory({ nowSeconds, positionCount, chainId: chain.id })
  const wallets = sandboxWallets()
  say(`creating the chain with 60 days of history and ${positionCount} position${positionCount === 1 ? '' : 's'}`)
  mkdirSync(chain.dir, { recursive: true })
  const node = await startNode({ ...nodeOptions(chain), timestamp: history.startsAt })
  const protocol = await deployProtocol(connect(node.url, { chain, account: wallets.admin }), {
    signer: signer.address,
  })
  const context = { chainId: chain.id, protocol, wallets, signer, nowSeconds }
  await seedHistory(node.url, { context, history, say })
  const [head] = await callNode(node.url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  const { number, hash } = head as { number: string; hash: Hash }
  const seeded = { number: Number(number), hash }
  const record = { protocol, signer: signer.address, sourcesHash, positionCount, seeded }
  writeRecord(chain.record, record)
  return { chain, node, record }
}

/** Returns the wallets of the sandbox. Their keys are public. */
export function sandboxWallets() {
  return assignWallets({ lenderCount, partnerCount: partnerFeesBps.length })
}

function connect(
  url: string,
  { chain: { id, name }, account }: { readonly chain: SandboxChain; readonly account: Wallet },
) {
  const chain = defineChain({
    id,
    name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return createClient({ chain, account: account.address, transport: http(url), cacheTime: 0 })
}
