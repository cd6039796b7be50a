import { expect, test } from 'vitest'
import { falsify, type RpcMode } from './rpc-proxy.ts'

const other = { id: 300, url: 'http://127.0.0.1:1' }
const request = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })
const body = JSON.stringify([request(1, 'eth_chainId'), request(2, 'eth_getLogs'), request(3, 'eth_getLogs')])
const answers = [
  // A server may answer a batch in any order.
  { id: 3, error: { code: -1, message: 'no' } },
  { id: 2, result: ['a', 'b', 'c'] },
  { id: 1, result: '0x144' },
]
const resultsOf = (mode: RpcMode) => {
  const falsified = JSON.parse(falsify(JSON.stringify(answers), { body, mode, other })) as typeof answers
  return falsified.map(({ result, error }) => error ?? result)
}
const [error] = answers.map((answer) => answer.error)

test.each([
  ['pass', ['a', 'b', 'c'], '0x144'],
  ['no-logs', [], '0x144'],
  ['fewer-logs', ['b'], '0x144'],
  ['false-chain', ['a', 'b', 'c'], '0x12c'],
] as const)('default: in the mode %s, nothing else is changed', (mode, logs, chainId) => {
  expect(resultsOf(mode)).toEqual([error, logs, chainId])
})

test('behavior: a request that is no batch gets one answer', () => {
  const text = JSON.stringify({ id: 7, result: ['a'] })
  const asked = JSON.stringify(request(7, 'eth_getLogs'))
  expect(JSON.parse(falsify(text, { body: asked, mode: 'no-logs', other }))).toEqual({ id: 7, result: [] })
})
