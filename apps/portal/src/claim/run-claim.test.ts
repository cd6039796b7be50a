import { type ClaimedPosition, TransactionError } from '@tallystick/client/viem'
import { expect, test } from 'vitest'
import { describeFailure, reduceActivity } from '../connect/activity.ts'
import { type ClaimReport, listClaimed } from './run-claim.ts'

const positions = [{ tokenId: 1n }, { tokenId: 2n }] as unknown as readonly ClaimedPosition[]
const claimed = { transactions: [], positions, skipped: [] }
const running = { phase: 'running', step: 'send', done: [] } as const

function fail(error: unknown, signal = new AbortController().signal) {
  return reduceActivity<ClaimReport>(running, describeFailure(error, signal))
}

test('default: all positions of a claim that was mined', () => {
  expect(listClaimed(reduceActivity(running, { kind: 'mined', hash: '0x1', result: claimed }))).toBe(positions)
})

test('behavior: a claim that failed later has the positions of its first transactions', () => {
  const activity = fail(new TransactionError({ code: 'chain_failed', message: 'The node failed.', claimed }))
  expect(activity.phase).toBe('failed')
  expect(listClaimed(activity)).toBe(positions)
})

test('behavior: a claim that was stopped has them too, also after the wallet confirmed', () => {
  const error = new TransactionError({ code: 'transaction_pending', message: 'No answer.', claimed })
  const activity = fail(error, AbortSignal.abort())
  expect(activity.phase).toBe('stopped')
  expect(listClaimed(activity)).toBe(positions)
  expect(listClaimed(reduceActivity(activity, { kind: 'late', hash: '0x1' }))).toBe(positions)
})

test.each([undefined, new Error('closed'), new TransactionError({ code: 'wallet_rejected', message: 'No.' })])(
  'behavior: nothing was claimed before %s',
  (error) => expect(listClaimed(fail(error))).toEqual([]),
)
