import { text } from 'node:stream/consumers'
import { eventTopics } from '@tallystick/contracts/event-topics'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { keccak256, toHex } from 'viem'
import { onTestFinished } from 'vitest'
import { pool } from './monitored-log.ts'

export type FakeLend = { readonly maturity: bigint; readonly coupon: bigint; readonly pool?: string }

type MintedLend = FakeLend & { readonly tokenId: bigint }

type LogFilter = { readonly fromBlock: string; readonly toBlock: string; readonly address: readonly string[] }

type FakeBlock = { readonly hash: string; readonly timestamp: number; readonly lends: readonly MintedLend[] }

/** A node with lends of our choosing. Unlike a real one it can lie, fail, and replace its blocks. */
export async function startFakeLendChain({ chainId = 324 }: { readonly chainId?: number } = {}) {
  const blocks: FakeBlock[] = []
  let branch = 0
  const chain = {
    url: '',
    blocks,
    /** Ranges of all requests for logs. */
    ranges: [] as [number, number][],
    /** Blocks in one range; more are refused. */
    rangeMax: Number.POSITIVE_INFINITY,
    /** Replaces the result of a call. */
    answer: (_method: string, result: unknown): unknown => result,
    onCall: async (_method: string): Promise<void> => undefined,
    mine: (timestamp: bigint | number, ...lends: readonly FakeLend[]) => {
      const number = blocks.length
      const minted = blocks.reduce((count, block) => count + block.lends.length, 0)
      const numbered = lends.map((lend, at) => ({ ...lend, tokenId: BigInt(minted + at + 1) }))
      blocks.push({ hash: keccak256(toHex(`${branch} ${number}`)), timestamp: Number(timestamp), lends: numbered })
      return number
    },
    /** Removes the newest blocks. */
    reorganize: (count: number) => {
      branch += 1
      blocks.splice(blocks.length - count)
    },
    transactionOf: (number: number, at = 0) => keccak256(toHex(`tx ${blocks[number]?.hash} ${at}`)),
  }
  const headerOf = (tag: string) => {
    const number = tag === 'latest' ? blocks.length - 1 : Number(tag)
    const block = blocks[number]
    if (!block) return null
    const parentHash = blocks[number - 1]?.hash ?? `0x${'0'.repeat(64)}`
    return { number: toHex(number), hash: block.hash, parentHash, timestamp: toHex(block.timestamp) }
  }
  const logsOf = (from: number, to: number, pools: readonly string[]) =>
    blocks.flatMap(({ hash, lends }, number) => {
      if (number < from || number > to) return []
      const logs = lends.map((lend, at) => ({
        address: lend.pool ?? pool,
        topics: [eventTopics.Lend, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(64)}`],
        data: toData([lend.tokenId, lend.maturity, lend.coupon, 1000n, 0n, 0n]),
        blockNumber: toHex(number),
        blockHash: hash,
        transactionHash: chain.transactionOf(number, at),
        logIndex: toHex(at),
      }))
      return logs.filter(({ address }) => pools.includes(address.toLowerCase()))
    })
  const call = (method: string, params: readonly [string & LogFilter]): unknown => {
    if (method === 'eth_chainId') return toHex(chainId)
    if (method === 'eth_getBlockByNumber') return headerOf(params[0])
    const range: [number, number] = [Number(params[0].fromBlock), Number(params[0].toBlock)]
    chain.ranges.push(range)
    if (range[1] - range[0] + 1 > chain.rangeMax) throw new Error('query returned more than 10000 results')
    return logsOf(...range, params[0].address)
  }
  const respond = async ({ id, method, params }: { id: number; method: string; params: never }) => {
    await chain.onCall(method)
    try {
      return { jsonrpc: '2.0', id, result: chain.answer(method, call(method, params)) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } }
    }
  }
  const server = await startLocalServer(async (request, response) => {
    const asked = JSON.parse(await text(request))
    const answers = Array.isArray(asked) ? await Promise.all(asked.map(respond)) : await respond(asked)
    response.end(JSON.stringify(answers))
  })
  onTestFinished(server.stop)
  // A provider's key is part of the URL.
  chain.url = `${server.url}/v1/s3cr3t-key`
  return chain
}

function toData(words: readonly bigint[]): string {
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`
}
