import { mkdirSync } from 'node:fs'
import { createClient, defineChain, type Hash, http } from 'viem'
import { callNode } from '../call-node.ts'
import { deployProtocol } from '../deploy-protocol.ts'
import { sourcesHash } from '../generated/sources-hash.ts'
import { lenderCount, partnerFeesBps } from '../seed/history.ts'
import { planHistory } from '../seed/plan-history.ts'
import { seedHistory } from '../seed/seed-history.ts'
import { type Devnet, type DevnetParts, devnetChainId, nodeOptions } from './devnet.ts'
import { writeRecord } from './record.ts'
import { deriveWallets, type Wallet } from './wallets.ts'

/** Starts a new chain, deploys the protocol and lets sixty days happen on it, up to the clock's second. */
export async function createDevnet(
  { home, clock, signer, say, startNode }: DevnetParts,
  positionCount: number,
): Promise<Devnet> {
  const nowSeconds = BigInt(Math.floor(clock.now() / 1000))
  const history = planHistory({ nowSeconds, positionCount })
  const wallets = sandboxWallets()
  say(`making a chain and its last 60 days, with ${positionCount} position${positionCount === 1 ? '' : 's'}`)
  mkdirSync(home.chain.dir, { recursive: true })
  const node = await startNode({ ...nodeOptions(home), timestamp: history.startsAt })
  const protocol = await deployProtocol(connect(node.url, wallets.admin), { signer: signer.address })
  const scene = { chainId: devnetChainId, protocol, wallets, signer, nowSeconds }
  await seedHistory(node.url, { scene, history, say })
  const [head] = await callNode(node.url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  const { number, hash } = head as { number: string; hash: Hash }
  const seeded = { number: Number(number), hash }
  const record = { protocol, signer: signer.address, sourcesHash, positionCount, seeded }
  writeRecord(home.chain.record, record)
  return { node, record }
}

/** Whose keys the sandbox gives away. */
export function sandboxWallets() {
  return deriveWallets({ lenderCount, partnerCount: partnerFeesBps.length })
}

function connect(url: string, { address }: Wallet) {
  const chain = defineChain({
    id: devnetChainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return createClient({ chain, account: address, transport: http(url), cacheTime: 0 })
}
