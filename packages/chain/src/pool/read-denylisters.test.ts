import { pad, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { RpcCall } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { readDenylisters } from './read-denylisters.ts'

const [pool, positions, dollar, listA, listB] = [
  '0x529d825ebfefd66b80ac02609c0fbd9eaadd6781',
  '0x00000000000000000000000000000000000000b1',
  '0x00000000000000000000000000000000000000c1',
  '0x00000000000000000000000000000000000000d1',
  '0x00000000000000000000000000000000000000d2',
] as const
const denylister = toFunctionSelector('denylister()')
const paraUSD = toFunctionSelector('paraUSD()')

/** Creates a node with getters by contract and selector. Other calls revert. */
function nodeOf(getters: Readonly<Record<string, string>>) {
  const call = async ({ params }: RpcCall) => {
    const [{ to, data }] = params as [{ to: string; data: string }]
    const value = getters[`${to} ${data}`]
    if (value === undefined) throw new RpcError({ kind: 'error', message: 'execution reverted', code: 3, data: '0x' })
    return value
  }
  return { label: 'node', call, callMany: async () => [] }
}

test('default: reads the denylister of each token', async () => {
  const endpoint = nodeOf({
    [`${positions} ${denylister}`]: pad(listA),
    [`${pool} ${paraUSD}`]: pad(dollar),
    [`${dollar} ${denylister}`]: pad(listB),
  })
  expect(await readDenylisters(endpoint, { pool, positions })).toEqual({ positions: listA, dollar: listB })
})

test.each([
  ['without the getters', {}],
  ['without code', { [`${positions} ${denylister}`]: '0x', [`${pool} ${paraUSD}`]: '0x' }],
  ['that return zero', { [`${positions} ${denylister}`]: pad('0x0'), [`${pool} ${paraUSD}`]: pad('0x0') }],
  ['that return no address', { [`${positions} ${denylister}`]: `0x${'ff'.repeat(32)}` }],
])('behavior: contracts %s have no denylister', async (_, getters) => {
  expect(await readDenylisters(nodeOf(getters), { pool, positions })).toEqual({
    positions: undefined,
    dollar: undefined,
  })
})

test('error: a node that fails is not a token without a denylister', async () => {
  const call = async () => {
    throw new RpcError({ kind: 'timeout', message: 'did not respond' })
  }
  const endpoint = { label: 'node', call, callMany: async () => [] }
  await expect(readDenylisters(endpoint, { pool, positions })).rejects.toThrow('did not respond')
})
