import { errorAbi, poolAbi } from '@tallystick/contracts'
import { decodeFunctionData, encodeErrorResult, type Hex, keccak256, recoverAddress, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { RpcCall } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { probeSigner } from './probe-signer.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
const invalidSigner = encodeErrorResult({
  abi: errorAbi,
  errorName: 'FeedSignatureVerifier__InvalidSigner',
  args: [pool, signer],
})

function nodeOf(answer: (call: RpcCall) => unknown) {
  const calls: RpcCall[] = []
  const call = async (sent: RpcCall) => {
    calls.push(sent)
    return answer(sent)
  }
  return { endpoint: { label: 'node', call, callMany: async () => [] }, calls }
}

const reverting = (data: Hex) =>
  nodeOf(() => {
    throw new RpcError({ kind: 'error', message: 'execution reverted', code: 3, data })
  })

test('default: returns the address that the pool expects, at a block or now', async () => {
  const { endpoint, calls } = reverting(invalidSigner)
  expect(await probeSigner(endpoint, { pool })).toBe(signer.toLowerCase())
  expect(await probeSigner(endpoint, { pool, block: 255 })).toBe(signer.toLowerCase())
  expect(calls.map(({ params }) => params[1])).toEqual(['latest', '0xff'])
})

test('behavior: the probe is valid at any time and its signature recovers to an address for every digest', async () => {
  const { endpoint, calls } = reverting(invalidSigner)
  await probeSigner(endpoint, { pool })
  const [{ to, data }] = calls[0]!.params as [{ to: string; data: Hex }]
  expect(to).toBe(pool)
  const { functionName, args = [] } = decodeFunctionData({ abi: poolAbi, data })
  const uint128Max = 2n ** 128n - 1n
  const feed = { maturityTimestamp: uint128Max, coupon: 1n, validAfter: 0n, validBefore: uint128Max }
  expect([functionName, args[0]]).toEqual(['validatePriceFeed', feed])
  const { v, r, s } = args[1] as unknown as { v: number; r: Hex; s: Hex }
  const digests = ['one', 'two', 'three'].map((text) => keccak256(toHex(text)))
  const recovered = await Promise.all(
    digests.map((hash) => recoverAddress({ hash, signature: { v: BigInt(v), r, s } })),
  )
  expect(new Set(recovered).size).toBe(3)
})

test.each([
  ['accepts the probe', () => nodeOf(() => '0x')],
  ['reverts without a reason', () => reverting('0x')],
  ['reverts with another error', () => reverting('0xd93c0665')],
  ['names no address', () => reverting(`${invalidSigner.slice(0, 74)}${'ff'.repeat(32)}` as Hex)],
  ['cuts its error short', () => reverting(invalidSigner.slice(0, -2) as Hex)],
] as const)('error: a contract that %s has no signer', async (_, node) => {
  expect(await probeSigner(node().endpoint, { pool })).toBeUndefined()
})

test('error: a node that fails is not a pool without a signer', async () => {
  const { endpoint } = nodeOf(() => {
    throw new RpcError({ kind: 'error', message: 'missing trie node' })
  })
  await expect(probeSigner(endpoint, { pool, block: 5 })).rejects.toThrow('missing trie node')
})
