import { type RpcCall, RpcError, type RpcErrorKind } from '@tallystick/chain'
import { eventTopics } from '@tallystick/contracts/event-topics'
import { expect, test } from 'vitest'
import {
  ann,
  blockOf,
  bob,
  createMemory,
  empty,
  hash,
  lend,
  limit,
  log,
  pad,
  pool,
  positions,
  rejectSignature,
  runOn,
  signer,
} from '../../test/protocol-logs.ts'
import type { BlockLogs, LoadEntities } from '../follow/mapping.ts'
import { createProtocolMapping } from './create-protocol-mapping.ts'

const mapping = createProtocolMapping({ pool, positions })
const deployed = limit(eventTopics.MaxCouponLimitUpdated, 1_000n)
const changed = log(pool, { topics: [eventTopics.FeedSignatureVerifier__SignerChanged, pad(bob)], words: [] })
const fail = (kind: RpcErrorKind, message: string): never => {
  throw new RpcError({ kind, message })
}

/** Maps blocks with a node, and returns the signer after each block and the calls of the node. */
async function mapSigners(
  blocks: readonly BlockLogs[],
  { node, load = empty }: { readonly node: (call: RpcCall) => unknown; readonly load?: LoadEntities },
) {
  const calls: string[] = []
  const run = runOn((call) => {
    const [first, block] = call.params as [{ fromBlock?: string; toBlock?: string }, string | undefined]
    const range = [first.fromBlock, first.toBlock].map(Number).join('-')
    calls.push(call.method === 'eth_getLogs' ? `logs ${range}` : `${call.method} ${block}`)
    return node(call)
  })
  const mapped = await mapping.map(blocks, load, run)
  const signers = mapped.map(({ changes }) => changes.find(({ entity }) => entity === 'Pool')?.set?.['signer'])
  return { signers, calls, mapped }
}

test('default: the signer is read once, at the block in which the pool is first seen', async () => {
  const memory = createMemory()
  const node = () => rejectSignature(signer)
  const blocks = [blockOf(6, []), blockOf(7, [deployed]), blockOf(8, lend(ann, { tokenId: 1n }))]
  const first = await mapSigners(blocks, { node, load: memory.load })
  expect(first).toMatchObject({ signers: [undefined, signer, signer], calls: ['eth_call 0x7'] })
  for (const { changes } of first.mapped) memory.keep(changes)
  const second = await mapSigners([blockOf(9, [limit(eventTopics.MinLendLimitUpdated, 1n)])], {
    node,
    load: memory.load,
  })
  expect(second).toMatchObject({ signers: [signer], calls: [] })
})

test('behavior: a change of the signer counts from its block, and in the first block no call is needed', async () => {
  const node = () => rejectSignature(signer)
  const later = await mapSigners([blockOf(7, [deployed]), blockOf(8, [changed])], { node })
  expect(later).toMatchObject({ signers: [signer, bob], calls: ['eth_call 0x7'] })
  const atOnce = await mapSigners([blockOf(7, [deployed, changed])], { node })
  expect(atOnce).toMatchObject({ signers: [bob], calls: [] })
})

test('behavior: a contract that does not tell its signer has none, and is not asked again', async () => {
  const memory = createMemory()
  const node = () => '0x'
  const first = await mapSigners([blockOf(7, [deployed])], { node, load: memory.load })
  expect(first).toMatchObject({ signers: [null], calls: ['eth_call 0x7'] })
  for (const { changes } of first.mapped) memory.keep(changes)
  const blocks = [blockOf(8, [deployed]), blockOf(9, [changed])]
  expect(await mapSigners(blocks, { node, load: memory.load })).toMatchObject({ signers: [null, bob], calls: [] })
})

test('behavior: a pause of the position token before the pool is deployed does not hide its signer', async () => {
  const paused = log(positions, { topics: [eventTopics.Paused], words: [1n] })
  const node = ({ params }: RpcCall) => (params[1] === '0x7' ? rejectSignature(signer) : '0x')
  const { signers, mapped } = await mapSigners([blockOf(5, [paused]), blockOf(7, [deployed])], { node })
  expect(signers).toEqual([null, signer])
  expect(mapped[1]?.changes[0]?.set).toMatchObject({ paused: false, positionTokenPaused: true })
})

/** A node without the state of old blocks, at block 5,000. Ranges of logs above a width are rejected. */
const pruned =
  ({ logs = [] as unknown, widthMax = 100_000, latest = 5_000 } = {}) =>
  ({ method, params }: RpcCall) => {
    if (method === 'eth_getBlockByNumber') {
      return { number: `0x${latest.toString(16)}`, hash, parentHash: hash, timestamp: '0x1' }
    }
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    if (method === 'eth_call') {
      return params[1] === '0x7' ? fail('error', 'missing trie node') : rejectSignature(signer)
    }
    const width = Number(filter.toBlock) - Number(filter.fromBlock) + 1
    return width > widthMax ? fail('refused', 'range too wide') : logs
  }

test('behavior: without old state, the present signer counts if the pool never changed it', async () => {
  expect(await mapSigners([blockOf(7, [deployed])], { node: pruned() })).toMatchObject({
    signers: [signer],
    calls: ['eth_call 0x7', 'eth_getBlockByNumber false', 'eth_call 0x1388', 'logs 8-2007', 'logs 2008-5000'],
  })
  const narrow = await mapSigners([blockOf(7, [deployed])], { node: pruned({ widthMax: 1_000 }) })
  expect(narrow.signers).toEqual([signer])
  expect(narrow.calls.slice(3, 6)).toEqual(['logs 8-2007', 'logs 8-1007', 'logs 1008-2007'])
})

test('behavior: without old state, a signer that was changed later is unknown until its change', async () => {
  const node = pruned({ logs: [{}] })
  const { signers } = await mapSigners([blockOf(7, [deployed]), blockOf(8, [changed])], { node })
  expect(signers).toEqual([null, bob])
})

test.each([
  ['does not respond', () => fail('timeout', 'did not respond'), 'did not respond'],
  ['is busy', () => fail('busy', 'too many requests'), 'too many requests'],
  [
    'has no state at all',
    (call: RpcCall) => (call.method === 'eth_call' ? fail('error', 'no state') : pruned()(call)),
    'no state',
  ],
  ['lags behind the block', pruned({ latest: 6 }), 'does not have block 7 yet'],
  ['sends no logs', pruned({ logs: null }), 'sent logs that are not a list'],
  ['rejects every range', pruned({ widthMax: 0 }), 'range too wide'],
])('error: a node that %s is a failure, not an unknown signer', async (_, node, message) => {
  await expect(mapSigners([blockOf(7, [deployed])], { node })).rejects.toThrow(message)
})
