import { type Hex, keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { RpcCall } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { createReadLimitLogs } from './read-limit-logs.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const maxCoupon = keccak256(toHex('MaxCouponLimitUpdated(uint256)'))
const minMaturity = keccak256(toHex('MinMaturityLimitUpdated(uint256)'))
const log = (topic: Hex, value: number) => ({
  address: pool.toLowerCase(),
  topics: [topic],
  data: toHex(value, { size: 32 }),
})
// A provider that fails to return the history is asked again after this many calls.
const callsPerHistory = 20

/** Creates a node with logs in its blocks. `interfere` may replace the response. */
function nodeOf(
  blocks: Record<number, object[]>,
  interfere: () => Error | { readonly answer: unknown } | undefined = () => undefined,
) {
  const ranges: (readonly [number, number])[] = []
  const call = async ({ method, params }: RpcCall) => {
    if (method === 'eth_blockNumber') return toHex(Math.max(...Object.keys(blocks).map(Number)))
    const [{ fromBlock, toBlock, address }] = params as [{ fromBlock: Hex; toBlock: Hex; address: string }]
    expect(address).toBe(pool)
    ranges.push([Number(fromBlock), Number(toBlock)])
    const interference = interfere()
    if (interference instanceof Error) throw interference
    if (interference) return interference.answer
    const inRange = ([number]: [string, object[]]) =>
      Number(number) >= Number(fromBlock) && Number(number) <= Number(toBlock)
    return Object.entries(blocks)
      .filter(inRange)
      .flatMap(([blockNumber, logs]) => logs.map((entry) => ({ blockNumber: toHex(Number(blockNumber)), ...entry })))
  }
  return { endpoint: { label: 'node', call, callMany: async () => [] }, blocks, ranges }
}

test('default: reads the whole history, then only blocks that are new or may be reorganized', async () => {
  const read = createReadLimitLogs(pool, 3)
  const node = nodeOf({ 5: [log(maxCoupon, 1000), log(minMaturity, 172_800)], 900: [log(maxCoupon, 900)] })
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 900n, minMaturityLimit: 172_800n })
  node.blocks[912] = [log(minMaturity, 86_400)]
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 900n, minMaturityLimit: 86_400n })
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 900n, minMaturityLimit: 86_400n })
  expect(node.ranges).toEqual([
    [3, 900],
    [773, 912],
    [785, 912],
  ])
})

test('behavior: a change that a reorg removes does not count any longer', async () => {
  const read = createReadLimitLogs(pool)
  const node = nodeOf({ 5: [log(maxCoupon, 1000)], 900: [log(maxCoupon, 300)] })
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 300n })
  node.blocks[900] = []
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 1000n })
})

test.each(['error', 'refused', 'timeout', 'malformed'] as const)(
  'behavior: reads only new blocks of a node that fails on the whole history, and later all (%s)',
  async (kind) => {
    const read = createReadLimitLogs(pool)
    let requests = 0
    const failure = new RpcError({ kind, message: 'block range too wide' })
    const node = nodeOf({ 9: [log(maxCoupon, 900)], 1000: [] }, () => (requests++ === 0 ? failure : undefined))
    expect(await read(node.endpoint)).toEqual({})
    node.blocks[1_001] = [log(minMaturity, 800)]
    expect(await read(node.endpoint)).toEqual({ minMaturityLimit: 800n })
    for (let call = 2; call < callsPerHistory; call++) await read(node.endpoint)
    expect(node.ranges.filter(([from]) => from === 0)).toHaveLength(1)
    expect(await read(node.endpoint)).toEqual({ minMaturityLimit: 800n })
    expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 900n, minMaturityLimit: 800n })
  },
)

/** Reads 2 limits, then fails once at a change, then reads on. */
async function readAroundFailure(kind: 'error' | 'refused' | 'timeout' | 'malformed') {
  const read = createReadLimitLogs(pool)
  let failure: Error | undefined
  const node = nodeOf({ 5: [log(maxCoupon, 1000)], 900: [] }, () => failure)
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 1000n })
  node.blocks[910] = [log(maxCoupon, 700)]
  failure = new RpcError({ kind, message: 'no answer' })
  const during = await read(node.endpoint).catch((error: Error) => error.message)
  failure = undefined
  node.blocks[2_000] = []
  return { during, after: await read(node.endpoint) }
}

test.each(['timeout', 'malformed'] as const)(
  'error: a later failure is one of the RPC, and no change is lost (%s)',
  async (kind) => {
    expect(await readAroundFailure(kind)).toEqual({ during: 'no answer', after: { maxCouponLimit: 700n } })
  },
)

test.each(['error', 'refused'] as const)(
  'error: the limits are unknown while logs are refused, and no change is lost (%s)',
  async (kind) => {
    expect(await readAroundFailure(kind)).toEqual({ during: {}, after: { maxCouponLimit: 700n } })
  },
)

const valid = { address: pool, blockNumber: '0x1', topics: [maxCoupon], data: toHex(1, { size: 32 }) }

test.each([
  ['null', null],
  ['no list', 'nonsense'],
  ['a null entry', [null]],
  ['no topics', [{ ...valid, topics: [] }]],
  ['topics that are no list', [{ ...valid, topics: 5 }]],
  ['a name of Object', [{ ...valid, topics: ['constructor'] }]],
  ['data of another length', [{ ...valid, data: '0x01' }]],
  ['no block', [{ ...valid, blockNumber: null }]],
  ['a block that was not requested', [{ ...valid, blockNumber: '0x385' }]],
  ['another contract', [{ ...valid, address: `0x${'1'.repeat(40)}` }]],
  ['a removed log', [{ ...valid, removed: true }]],
])('error: a malformed response is one of the RPC, and no limit is lost: %s', async (_, answer) => {
  const read = createReadLimitLogs(pool)
  let isMalformed = true
  const node = nodeOf({ 5: [log(maxCoupon, 1000)], 900: [] }, () => (isMalformed ? { answer } : undefined))
  await expect(read(node.endpoint)).rejects.toMatchObject({ name: 'RpcError', kind: 'malformed' })
  isMalformed = false
  for (let call = 0; call < callsPerHistory; call++) await read(node.endpoint)
  expect(await read(node.endpoint)).toEqual({ maxCouponLimit: 1000n })
})

test.each([null, '', '900', true, '0x'])('error: a head of %j is malformed, and no limit is lost', async (head) => {
  const read = createReadLimitLogs(pool)
  const node = nodeOf({ 5: [log(maxCoupon, 1000)], 900: [] })
  const { endpoint } = node
  const call = async (asked: RpcCall) => (asked.method === 'eth_blockNumber' ? head : endpoint.call(asked))
  await expect(read({ ...endpoint, call })).rejects.toMatchObject({ name: 'RpcError', kind: 'malformed' })
  expect(await read(endpoint)).toEqual({ maxCouponLimit: 1000n })
})
