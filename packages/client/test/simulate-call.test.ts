import { expect, test } from 'vitest'
import { claimCalldata } from '../src/chain/claim-calldata.ts'
import { simulateCall } from '../src/chain/simulate-call.ts'

const from = `0x${'11'.repeat(20)}` as const
const pool = `0x${'22'.repeat(20)}` as const
const call = claimCalldata({ pool, beneficiary: from, tokenId: 7n, acceptMissingIncome: true })

test.each([
  [{}, 'latest'],
  [{ blockTag: 'pending' as const }, 'pending'],
])('default: sends one eth_call with %j and returns its data', async (options, blockTag) => {
  const requests: unknown[] = []
  const request = async (asked: unknown) => {
    requests.push(asked)
    return '0x1234'
  }
  expect(await simulateCall({ request }, { from, call, ...options })).toEqual({ ok: true, data: '0x1234' })
  expect(requests).toEqual([{ method: 'eth_call', params: [{ from, to: pool, data: call.data }, blockTag] }])
})

test('behavior: an error of the protocol is explained', async () => {
  const error = { code: 3, message: 'execution reverted', data: `0xd7797d82${from.slice(2).padStart(64, '0')}` }
  const simulation = await simulateCall({ request: () => Promise.reject(error) }, { from, call })
  expect(simulation).toEqual({
    ok: false,
    explanation: expect.objectContaining({ name: 'ParabolUSD__Denylisted', args: [from] }),
    error,
  })
})

test('behavior: another error has no explanation', async () => {
  const error = new Error('no network')
  const simulation = await simulateCall({ request: () => Promise.reject(error) }, { from, call })
  expect(simulation).toEqual({ ok: false, explanation: undefined, error })
})

test.each([null, undefined, {}, 'no hex', 5])('error: a response of %j is no success', async (data) => {
  expect(await simulateCall({ request: async () => data }, { from, call })).toEqual({
    ok: false,
    explanation: undefined,
    error: expect.objectContaining({ name: 'MalformedAnswerError', code: 'malformed_answer' }),
  })
})
