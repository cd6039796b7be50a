import type { Agent } from 'node:https'
import { poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { type Address, type Hex, type Log, parseEventLogs, zeroAddress } from 'viem'
import { call } from '../clients/call.ts'
import type { SoakChain } from '../environment/chain.ts'

/** Position as `/data` returns it. */
export type Position = Readonly<Record<string, string | null>>

const fields =
  'tokenId currentOwner initalOwner initiator coupon principal lendTimestamp maturityTimestamp partnerFeeBPS partnerId status lendTransactionHash claimTransactionHash totalIncome fee'
const pageSize = 500

/** Returns every position of a chain, read from its logs, ordered by token id. */
export async function readChainPositions({ url, protocol }: SoakChain): Promise<readonly Position[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: [protocol.pool, protocol.positions] }
  const [logs] = await callNode(url, [{ method: 'eth_getLogs', params: [filter] }])
  const positions = new Map<bigint, Record<string, string | null>>()
  const events = parseEventLogs({
    abi: [...poolAbi, ...positionTokenAbi],
    logs: logs as Log[],
    eventName: ['Lend', 'Claim', 'Transfer'],
  })
  for (const { eventName, args, transactionHash, ...log } of events) {
    const { blockTimestamp } = log as unknown as { readonly blockTimestamp: Hex }
    const known = positions.get(args.tokenId)
    if (eventName === 'Transfer' && args.to !== zeroAddress) positions.set(args.tokenId, moved(known, args))
    if (eventName === 'Lend') {
      Object.assign(known as object, {
        initiator: args.initiator.toLowerCase(),
        coupon: String(args.coupon),
        principal: String(args.principal),
        lendTimestamp: String(BigInt(blockTimestamp)),
        maturityTimestamp: String(args.maturityTimestamp),
        partnerFeeBPS: String(args.partnerFeeBPS),
        partnerId: args.partnerId,
        lendTransactionHash: transactionHash,
      })
    }
    if (eventName === 'Claim') {
      const claim = { totalIncome: String(args.totalIncome), fee: String(args.fee) }
      Object.assign(known as object, { ...claim, status: 'Claimed', claimTransactionHash: transactionHash })
    }
  }
  return [...positions.values()]
}

function moved(
  known: Record<string, string | null> | undefined,
  { tokenId, to }: { readonly tokenId: bigint; readonly to: Address },
): Record<string, string | null> {
  const currentOwner = to.toLowerCase()
  if (known) return { ...known, currentOwner }
  const unclaimed = { status: 'Active', claimTransactionHash: null, totalIncome: null, fee: null }
  return { tokenId: String(tokenId), currentOwner, initalOwner: currentOwner, ...unclaimed }
}

/** Returns every position that `/data` serves, ordered by token id. */
export async function readServedPositions({
  baseUrl,
  chainId,
  key,
  agent,
}: {
  readonly baseUrl: string
  readonly chainId: number
  readonly key: string
  readonly agent: Agent
}): Promise<readonly Position[]> {
  const positions: Position[] = []
  for (;;) {
    const query = `{ positionInfos(first: ${pageSize}, skip: ${positions.length}, orderBy: tokenId) { ${fields} } }`
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ query, variables: { chains: [chainId] } })
    const answer = await call(`${baseUrl}/data`, { agent, method: 'POST', headers, body })
    if (answer.status !== 200)
      throw new Error(`/data of chain ${chainId} responded with ${answer.status}: ${answer.body.slice(0, 300)}`)
    const [{ data }] = JSON.parse(answer.body)
    positions.push(...data.positionInfos)
    if (data.positionInfos.length < pageSize) return positions
  }
}

/** Describes the first difference between two lists of positions. Returns undefined if there is none. */
export function comparePositions(
  served: readonly Position[],
  { chain }: { readonly chain: readonly Position[] },
): string | undefined {
  if (served.length !== chain.length) return `${served.length} positions served, ${chain.length} on the chain`
  for (const [index, expected] of chain.entries()) {
    const found = served[index] as Position
    const field = fields.split(' ').find((name) => found[name] !== expected[name])
    if (field) return `position ${expected['tokenId']} has ${field} ${found[field]}, on the chain ${expected[field]}`
  }
  return undefined
}
