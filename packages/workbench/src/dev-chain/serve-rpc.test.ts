import { expect, test } from 'vitest'
import { RpcFailure } from './rpc-failure.ts'
import { answerRequest } from './serve-rpc.ts'

const handled: string[] = []
const chain = {
  handle: async (method: string, params: readonly unknown[]) => {
    handled.push(method)
    if (method === 'refused') throw new RpcFailure({ code: -32602, message: 'no', data: { why: 1 } })
    if (method === 'broken') throw new TypeError('a fault')
    return JSON.stringify({ result: params })
  },
}
const answer = async (body: unknown) => JSON.parse((await answerRequest(chain, JSON.stringify(body))) ?? 'null')

test('default: the response has the id of the call', async () => {
  expect(await answer({ id: 7, method: 'm', params: [1] })).toEqual({ jsonrpc: '2.0', id: 7, result: [1] })
  expect(await answer({ id: 'a"b', method: 'm' })).toEqual({ jsonrpc: '2.0', id: 'a"b', result: [] })
  expect(await answer({ id: null, method: 'm' })).toEqual({ jsonrpc: '2.0', id: null, result: [] })
})

test('behavior: a batch is handled in order, and notifications have no response', async () => {
  handled.length = 0
  const batch = [{ id: 1, method: 'one' }, { method: 'two' }, { id: 3, method: 'refused' }, 'nonsense']
  expect(await answer(batch)).toMatchObject([
    { id: 1, result: [] },
    { id: 3, error: { code: -32602, message: 'no', data: { why: 1 } } },
    { id: null, error: { code: -32600 } },
  ])
  expect(handled).toEqual(['one', 'two', 'refused'])
  expect(await answerRequest(chain, '{"method":"two"}')).toBeUndefined()
  expect(await answerRequest(chain, '[{"method":"two"}]')).toBeUndefined()
})

test('error: a body that is not a call results in an error', async () => {
  expect(JSON.parse((await answerRequest(chain, '{bad')) as string)).toMatchObject({
    id: null,
    error: { code: -32700 },
  })
  for (const body of [[], null, 1, 'text', {}, { id: 1 }, { id: 1, method: 5 }, { id: {}, method: 'm' }]) {
    expect(await answer(body)).toMatchObject({ id: null, error: { code: -32600 } })
  }
  expect(await answer({ id: 1, method: 'm', params: { a: 1 } })).toMatchObject({ error: { code: -32600 } })
  expect(await answer({ id: 1, method: 'broken' })).toMatchObject({
    id: 1,
    error: { code: -32603, message: 'a fault' },
  })
})
