import { encodeAbiParameters, type Hex, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { readFloatingIncome } from './read-floating-income.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const lastDay = toFunctionSelector('lastFloatingIncomeUpdateDay()')
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])

type Setting = {
  readonly day?: bigint | undefined
  readonly sums?: Readonly<Record<number, bigint>>
  readonly block?: unknown
}

/** Returns an endpoint of a pool with these sums, and the blocks of its calls. */
function endpointOf({ day, sums = {}, block = { number: '0x64', timestamp: '0x65' } }: Setting) {
  const blocks: unknown[] = []
  const call: RpcEndpoint['call'] = async ({ method, params }) => {
    if (method === 'eth_getBlockByNumber') return block
    const [{ data }, tag] = params as readonly [{ readonly data: Hex }, unknown]
    blocks.push(tag)
    const value = data === lastDay ? day : sums[Number(`0x${data.slice(10)}`)]
    if (value !== undefined) return word(value)
    throw new RpcError({ kind: 'error', code: 3, message: 'execution reverted' })
  }
  return { endpoint: { label: 'test', call, callMany: (calls) => Promise.all(calls.map(call)) } as RpcEndpoint, blocks }
}

const read = (setting: Setting) => readFloatingIncome(endpointOf(setting).endpoint, pool)
const block = { number: 100, timestamp: 101 }

test('default: the income is the difference of two sums, all of one block', async () => {
  const { endpoint, blocks } = endpointOf({ day: 20_000n, sums: { 19999: 700n, 20000: 1_000n } })
  expect(await readFloatingIncome(endpoint, pool)).toEqual({ last: { day: 20_000, floatingIncome: 300n }, block })
  expect(blocks).toEqual(['0x64', '0x64', '0x64'])
})

test('behavior: day 0 is none', async () => {
  expect(await read({ day: 0n })).toEqual({ last: undefined, block })
})

test.each([
  ['no getter of the day', { day: undefined }],
  ['no getter of the sum', { day: 20_000n, sums: { 20000: 5n } }],
  ['a sum below the one before', { day: 20_000n, sums: { 19999: 6n, 20000: 5n } }],
  ['a day without a date', { day: 10_000_000n, sums: { 9999999: 0n, 10000000: 1n } }],
  ['a day beyond numbers', { day: 2n ** 256n - 1n }],
] as const)('error: %s is not a floating income', async (_, setting) => {
  expect(await read(setting)).toBeUndefined()
})

test('behavior: a node that does not have the block is no failure of the RPC', async () => {
  const call: RpcEndpoint['call'] = async ({ method }) => {
    if (method === 'eth_getBlockByNumber') return { number: '0x64', timestamp: '0x65' }
    throw new RpcError({ kind: 'error', code: -32000, message: 'header not found' })
  }
  const endpoint = { label: 'test', call, callMany: () => Promise.resolve([]) }
  await expect(readFloatingIncome(endpoint, pool)).rejects.toMatchObject({ kind: 'changed' })
})

test.each([null, {}, { number: '0x1' }, { number: 1, timestamp: 2 }, { number: '0xzz', timestamp: '0x1' }])(
  'error: %j is not a block',
  async (wrong) => {
    await expect(read({ day: 1n, block: wrong })).rejects.toMatchObject({ kind: 'malformed' })
  },
)
