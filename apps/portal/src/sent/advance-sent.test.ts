import { expect, test } from 'vitest'
import { advanceSent, isOpen, type Sighting } from './advance-sent.ts'
import { announce, describeAct } from './describe-sent.ts'
import { fakeHash, fakeSent } from './fake-sent.ts'
import type { SentTransaction } from './sent-transaction.ts'

const nowMs = 11_000
const minute = 60_000
const look = (sent: SentTransaction, sighting: Sighting, count = 1) => advanceSent(sent, { sighting, nowMs, count })
const mined = { kind: 'mined', isSuccess: true, isFinal: false } as const
const other = { hash: `0x${'2b'.repeat(32)}`, call: 'another' }
const { hash: _, ...asked } = fakeSent({ id: 'asked-1', state: { kind: 'asked' } })

test('default: waits, is mined, and becomes final', () => {
  const waiting = look(fakeSent(), { kind: 'pending', nonce: 9 })
  expect(waiting).toMatchObject({ state: { kind: 'waiting' }, nonce: 9, endedAtMs: undefined })
  const confirmed = look(waiting, mined)
  expect(confirmed).toMatchObject({ state: { kind: 'confirmed', isFinal: false }, endedAtMs: nowMs })
  const final = advanceSent(confirmed, { sighting: { ...mined, isFinal: true }, nowMs: 19_000, count: 2 })
  expect(final).toMatchObject({ state: { kind: 'confirmed', isFinal: true }, endedAtMs: nowMs })
  expect([fakeSent(), confirmed, final].map((sent) => isOpen(sent, nowMs + minute))).toEqual([true, true, false])
})

test('behavior: a reverted transaction keeps its reason', () => {
  const failed = look(fakeSent(), { kind: 'mined', isSuccess: false, isFinal: false, reason: 'Denied.' })
  expect(look(failed, { kind: 'mined', isSuccess: false, isFinal: true })).toMatchObject({
    state: { kind: 'failed', isFinal: true, reason: 'Denied.' },
  })
})

test('behavior: a reorganisation takes a confirmed one back, and it may come again', () => {
  const confirmed = look(fakeSent(), mined)
  expect(look(confirmed, { kind: 'pending' }, 2)).toBe(confirmed)
  expect(look(confirmed, { kind: 'pending' }, 3)).toMatchObject({ state: { kind: 'waiting' }, endedAtMs: undefined })
  const dropped = look(confirmed, { kind: 'absent' }, 5)
  expect(dropped.state.kind).toBe('dropped')
  expect(look(dropped, mined).state.kind).toBe('confirmed')
})

test('behavior: one look of a node that lags behind ends nothing', () => {
  expect(look(fakeSent(), { kind: 'absent' }, 4).state.kind).toBe('waiting')
  expect(look(fakeSent(), { kind: 'absent' }, 5).state.kind).toBe('dropped')
  expect(look(fakeSent({ sentAtMs: 1_001 }), { kind: 'absent' }, 5).state.kind).toBe('waiting')
  const overtaken = { kind: 'overtaken', by: other, nextNonce: 8 } as const
  expect(look(fakeSent(), overtaken, 1).state.kind).toBe('waiting')
  expect(look(fakeSent(), overtaken, 2).state.kind).toBe('replaced')
  expect(look(fakeSent(), { kind: 'overtaken', nextNonce: 8 }, 2).state.kind).toBe('replaced')
})

test('behavior: what owners reject is cancelled after three looks, and one that was executed after all is not', () => {
  const signing = fakeSent({ state: { kind: 'signing' } })
  expect(look(signing, { kind: 'cancelled' }, 2)).toBe(signing)
  const cancelled = look(signing, { kind: 'cancelled' }, 3)
  expect(cancelled).toMatchObject({ state: { kind: 'cancelled' }, endedAtMs: nowMs })
  expect(look(cancelled, { kind: 'absent' }, 99)).toBe(cancelled)
  expect(look(cancelled, { kind: 'overtaken', by: other, nextNonce: 8 }, 99)).toBe(cancelled)
  const executed = look(cancelled, { ...mined, executedHash: other.hash })
  expect(executed).toMatchObject({ state: { kind: 'confirmed' }, hash: fakeHash, executedHash: other.hash })
})

test('behavior: the same call under another hash is the same transaction', () => {
  const by = { hash: other.hash, call: fakeSent().call }
  const found = { id: by.hash, hash: by.hash, state: { kind: 'waiting' } }
  expect(look(fakeSent(), { kind: 'overtaken', by, nextNonce: 8 }, 2)).toMatchObject(found)
  expect(look(asked, { kind: 'overtaken', by, nextNonce: 8 }, 2)).toMatchObject(found)
})

test('behavior: nothing is claimed of a request that the wallet did not answer', () => {
  expect(look(asked, { kind: 'absent' }, 99)).toBe(asked)
  // Another transaction took the nonce. The request would get the next one.
  expect(look(asked, { kind: 'overtaken', by: other, nextNonce: 8 }, 2)).toEqual({ ...asked, nonce: 8 })
  expect(look(asked, { kind: 'overtaken', nextNonce: 8 }, 2)).toBe(asked)
})

test('behavior: owners who have to sign have the time they need', () => {
  const signing = fakeSent({ state: { kind: 'signing' } })
  expect(look(signing, { kind: 'absent' }, 9_999)).toBe(signing)
  expect(look(signing, { kind: 'overtaken', nextNonce: 8 }, 9_999)).toBe(signing)
  expect(look(signing, mined).state.kind).toBe('confirmed')
})

test('behavior: what is neither final nor found again is not watched forever', () => {
  const confirmed = look(fakeSent(), mined)
  expect(isOpen(confirmed, nowMs + 9 * minute)).toBe(true)
  expect(isOpen(confirmed, nowMs + 10 * minute)).toBe(false)
})

test('default: says what a transaction does, and how it ended', () => {
  expect(describeAct({ kind: 'lend', principal: String(1_234_500_000_000_000_000_000n), tenorDays: 1 })).toBe(
    'Lend $1,234.50 for 1 day',
  )
  expect(describeAct({ kind: 'claim', tokenIds: ['5'] })).toBe('Claim position #5')
  expect(describeAct({ kind: 'approvePositions', tokenIds: ['1', '2', '3', '4', '5', '6'] })).toBe(
    'Approve positions #1, #2, #3, #4 and 2 more for a claim',
  )
  const failed = fakeSent({ state: { kind: 'failed', isFinal: false, reason: 'The account is on the denylist.' } })
  expect(announce(failed)).toBe('Failed: Lend $1,000.00 for 30 days. The account is on the denylist.')
})
