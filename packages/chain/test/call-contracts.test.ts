import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { callContracts } from '../src/pool/call-contract.ts'
import { createRpcEndpoint } from '../src/rpc/rpc-endpoint.ts'

const to = `0x${'aa'.repeat(20)}` as const
type Call = { readonly id: number; readonly params: readonly [{ readonly data: string }, string] }

/** Starts a node whose contract echoes calldata, reverts for 0xdead and has lost the state for 0xbeef. */
async function startNode({ takesBatches }: { readonly takesBatches: boolean }) {
  const blocks: string[] = []
  const answer = ({ id, params: [{ data }, block] }: Call) => {
    blocks.push(block)
    if (data === '0xdead') return { id, error: { code: 3, message: 'execution reverted', data: '0x7e273289' } }
    if (data === '0xbeef') return { id, error: { code: -32000, message: 'missing trie node' } }
    return { id, result: data }
  }
  const server = await startLocalServer(async (request, response) => {
    const body = JSON.parse(await text(request))
    const isRefused = Array.isArray(body) && !takesBatches
    const refusal = { id: null, error: { code: -32600, message: 'no batches' } }
    response.end(JSON.stringify(isRefused ? refusal : Array.isArray(body) ? body.map(answer) : answer(body)))
  })
  onTestFinished(server.stop)
  const url = server.url
  const { signal } = new AbortController()
  return { endpoint: createRpcEndpoint({ url, timeoutMs: 10_000, answerBytesMax: 1_000_000, signal }), blocks }
}

test.each([true, false])(
  'default: a revert is undefined and does not fail the others (batches: %s)',
  async (takesBatches) => {
    const { endpoint, blocks } = await startNode({ takesBatches })
    const datas = Array.from({ length: 60 }, (_, index) => (index % 3 === 1 ? '0xdead' : `0x${10 + (index % 90)}`))
    const calls = datas.map((data) => ({ to, data: data as `0x${string}`, block: 9 }))
    const expected = datas.map((data) => (data === '0xdead' ? undefined : data))
    expect(await callContracts(endpoint, calls)).toEqual(expected)
    expect(new Set(blocks)).toEqual(new Set(['0x9']))
  },
)

test.each([true, false])(
  'error: a node that has lost the state fails the whole call (batches: %s)',
  async (takesBatches) => {
    const { endpoint } = await startNode({ takesBatches })
    const calls = ['0x01', '0xbeef', '0xdead'].map((data) => ({ to, data: data as `0x${string}` }))
    await expect(callContracts(endpoint, calls)).rejects.toMatchObject({ kind: 'error', code: -32000 })
  },
)

test('error: without keepErrors, the first error of a batch is thrown', async () => {
  const { endpoint } = await startNode({ takesBatches: true })
  const calls = ['0x01', '0xdead'].map((data) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] }))
  await expect(endpoint.callMany(calls)).rejects.toMatchObject({ kind: 'error', code: 3 })
})
