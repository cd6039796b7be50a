import { expect, test } from 'vitest'
import {
  type Activity,
  type ActivityEvent,
  hasUnknownResult,
  isWaitingForWallet,
  listSteps,
  reduceActivity,
} from './activity.ts'
import { finalDepth } from './watch-receipt.ts'

type Progress = Activity<string>

function play(...events: readonly ActivityEvent<string>[]): Progress {
  return events.reduce<Progress>((activity, event) => reduceActivity<string>(activity, event), { phase: 'idle' })
}

const step = (name: Extract<Progress, { phase: 'running' }>['step'], hash?: string): ActivityEvent<string> => ({
  kind: 'step',
  step: name,
  hash,
})
const mined: ActivityEvent<string> = { kind: 'mined', hash: '0x1', result: 'position' }
const receipt = (state: 'pending' | 'dropped' | number, hash = '0x1'): ActivityEvent<string> => ({
  kind: 'receipt',
  hash,
  state:
    typeof state === 'string'
      ? { kind: state, nonce: undefined }
      : { kind: 'mined', hash, blockHash: '0xb', blockNumber: 1n, depth: state, isSuccess: true },
})

test('default: goes from the check to a mined and confirmed transaction', () => {
  const sent = play(step('check'), step('permit'), step('check'), step('send'), step('wait', '0x1'))
  expect(sent).toEqual({ phase: 'running', step: 'wait', done: ['check', 'permit', 'send'], hash: '0x1' })
  expect(play(mined, receipt(0), receipt(finalDepth))).toEqual({
    ...{ phase: 'mined', hash: '0x1', result: 'position' },
    ...{ depth: finalDepth, wasMoved: false },
  })
})

test('behavior: what the owners of a wallet rejected was not sent, and what they have not signed may be', () => {
  const waiting = [step('send'), step('owners', '0x1')] as const
  expect(isWaitingForWallet(play(...waiting))).toBe(false)
  const fail = (code: string) => play(...waiting, { kind: 'failed', error: { code } })
  expect(fail('transaction_replaced')).toMatchObject({ phase: 'failed', hash: undefined })
  expect(hasUnknownResult(fail('transaction_replaced'))).toBe(false)
  expect(hasUnknownResult(fail('transaction_pending'))).toBe(true)
  expect(listSteps(play(...waiting), ['send', 'wait']).map((line) => line.step)).toEqual(['send', 'owners', 'wait'])
})

test('behavior: a reorganisation takes the transaction away, and may bring it back', () => {
  expect(play(mined, receipt('pending'))).toMatchObject({ phase: 'reorganised', isKnown: true, result: 'position' })
  expect(play(mined, receipt('pending'), receipt('dropped'))).toMatchObject({ phase: 'reorganised', isKnown: false })
  expect(play(mined, receipt('pending'), receipt(1), receipt(2))).toMatchObject({ phase: 'mined', wasMoved: true })
})

test('behavior: a transaction in another block has the result of that block', () => {
  const moved: ActivityEvent<string> = { kind: 'moved', hash: '0x1', result: 'another position' }
  expect(play(mined, moved, receipt(3))).toMatchObject({ result: 'another position', wasMoved: true, depth: 3 })
  expect(play(step('check'), moved)).toMatchObject({ phase: 'running' })
})

test('behavior: states of another transaction, or after a new start, change nothing', () => {
  const lent = play(mined)
  expect(reduceActivity(lent, receipt('dropped', '0x2'))).toBe(lent)
  const running = play(mined, step('check'))
  expect(reduceActivity(running, receipt('dropped'))).toBe(running)
  expect(play(mined, { kind: 'stopped' })).toEqual(lent)
  expect(play({ kind: 'late', hash: '0x1' })).toEqual({ phase: 'idle' })
})

test('behavior: ends by rejection, failure, expiry and waitOptions', () => {
  const error = new Error('reverted')
  expect(play(step('send'), { kind: 'failed', error })).toEqual({ phase: 'failed', error, hash: undefined })
  expect(play(step('wait', '0x1'), { kind: 'failed', error })).toEqual({ phase: 'failed', error, hash: '0x1' })
  expect(play(step('permit'), { kind: 'expired' })).toEqual({ phase: 'expired', hash: undefined })
  expect(play(step('send'), { kind: 'stopped' }, { kind: 'late', hash: '0x9' })).toEqual({
    phase: 'stopped',
    hash: '0x9',
  })
  expect(play(step('send'), { kind: 'stopped' }, { kind: 'reset' })).toEqual({ phase: 'idle' })
})

test('default: the list has the planned steps, and those that were taken instead', () => {
  const show = (activity: Progress, plan: Parameters<typeof listSteps>[1]) =>
    listSteps(activity, plan).map((line) => `${line.step} ${line.state}`)
  const plan = ['permit', 'send', 'wait'] as const
  expect(show(play(step('check')), plan)).toEqual(['permit next', 'send next', 'wait next'])
  expect(show(play(step('switch'), step('check'), step('permit')), plan)).toEqual([
    ...['switch done', 'permit now', 'send next', 'wait next'],
  ])
  expect(show(play(step('permit'), step('approve'), step('approving', '0x1')), plan)).toEqual([
    ...['permit done', 'approve done', 'approving now', 'send next', 'wait next'],
  ])
  expect(show(play(step('approve')), plan)).toEqual(['approve now', 'send next', 'wait next'])
  expect(show(play(mined), plan)).toEqual([])
})

test('default: the wallet is waited for where its user must act', () => {
  const steps = ['switch', 'permit', 'approve', 'send', 'check', 'approving', 'wait'] as const
  expect(steps.filter((name) => isWaitingForWallet(play(step(name))))).toEqual(['switch', 'permit', 'approve', 'send'])
  expect(isWaitingForWallet(play(mined))).toBe(false)
})

test.each([
  [{ phase: 'failed', error: { code: 'transaction_pending' }, hash: '0x1' }, true],
  [{ phase: 'failed', error: { code: 'transaction_pending' } }, true],
  [{ phase: 'failed', error: { code: 'transaction_dropped' }, hash: '0x1' }, true],
  [{ phase: 'failed', error: { code: 'transaction_replaced' }, hash: '0x1' }, true],
  [{ phase: 'failed', error: undefined, hash: '0x1' }, true],
  [{ phase: 'stopped', hash: '0x1' }, true],
  [{ phase: 'stopped' }, false],
  [{ phase: 'failed', error: { code: 'call_reverted' }, hash: '0x1' }, false],
  [{ phase: 'failed', error: { code: 'chain_failed' } }, false],
  [{ phase: 'failed', error: { code: 'wallet_rejected' } }, false],
  [{ phase: 'expired', hash: '0x1' }, false],
] as const)('behavior: case %# says whether the same transaction may be offered again', (activity, isUnknown) => {
  expect(hasUnknownResult(activity)).toBe(isUnknown)
})
