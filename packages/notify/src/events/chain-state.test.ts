import type { ChainRates } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { isRateWorse, isStatusWorse, parseState, toState, toStatusEvent } from './chain-state.ts'

const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
const other = `0x${'ab'.repeat(20)}`
const rates: ChainRates = {
  chainid: '324',
  status: 'open',
  statusReason: 'The pool is not paused.',
  fixedRates: [{ maturity: 7, maturity_timestamp: '1795237200', coupon: '369' }],
  floatingRate: '1264',
  floatingDay: 20770,
  marketRates: [{ maturity: 7, rate: '1633' }],
  isProtocolSynced: true,
  syncReason: 'The floating income of 2026-11-13 (UTC) has been set.',
  nextSyncExpectedAt: '1794700800',
  dataBlock: '5184123',
  dataLagSeconds: 4,
}
const notes = { tenors: [7, 14], signer }
const state = toState(rates, notes)
const stateOf = (changes: Partial<ChainRates>, others: Partial<typeof notes> = {}) =>
  toState({ ...rates, ...changes }, { ...notes, ...others })

describe('status events', () => {
  test('default: the first has everything, and an equal state has none', () => {
    expect(toStatusEvent(undefined, state)).toEqual({
      message: `The pool is not paused. The floating income of 2026-11-13 (UTC) has been set. Notes of 7, 14 days are available. The notes are signed by ${signer}.`,
      chainid: '324',
      status: 'open',
      isProtocolSynced: true,
      availableMaturities: [7, 14],
      signer,
      changed: ['status', 'isProtocolSynced', 'availableMaturities', 'signer'],
    })
    const stored = JSON.stringify(toStatusEvent(undefined, state))
    const before = parseState({ rate: JSON.stringify(state.rate), status: stored })
    expect(toStatusEvent(before.status, state)).toBeUndefined()
    expect(before.rate).toEqual(state.rate)
  })

  test.each([
    [stateOf({ status: 'paused', statusReason: 'The pool is paused.' }), ['status'], 'The pool is paused.'],
    [stateOf({ isProtocolSynced: false, syncReason: 'Not set.' }), ['isProtocolSynced'], 'Not set.'],
    [stateOf({}, { tenors: [] }), ['availableMaturities'], 'No notes are available.'],
    [stateOf({}, { tenors: [7] }), ['availableMaturities'], 'Notes of 7 days are available.'],
    [stateOf({}, { signer: other }), ['signer'], `The signer of the notes changed from ${signer} to ${other}.`],
  ])('behavior: %# names what changed and why', (now, changed, message) => {
    expect(toStatusEvent(state.status, now)).toMatchObject({ changed, message })
  })

  test('behavior: block, lag and reasons alone are no change', () => {
    const now = stateOf({ dataBlock: '5184124', dataLagSeconds: 9, statusReason: 'x', syncReason: 'y' })
    expect(toStatusEvent(state.status, now)).toBeUndefined()
    expect(JSON.stringify(now.rate)).toBe(JSON.stringify(state.rate))
  })
})

describe('losses', () => {
  const unreadable = { floatingRate: null, floatingDay: null, isProtocolSynced: false, dataBlock: null }
  test('default: a value that is gone is a loss once', () => {
    expect(isRateWorse(state.rate, stateOf(unreadable))).toBe(true)
    expect(isRateWorse(state.rate, stateOf({ fixedRates: [] }))).toBe(true)
    expect(isStatusWorse(state.status, stateOf(unreadable))).toBe(true)
    expect(isStatusWorse(state.status, stateOf({ status: 'unknown' }))).toBe(true)
    expect(isStatusWorse(state.status, stateOf({}, { tenors: [] }))).toBe(true)
    const lost = stateOf({ ...unreadable, status: 'unknown', fixedRates: [] }, { tenors: [] })
    expect([isRateWorse(lost.rate, lost), isStatusWorse(lost.status, lost)]).toEqual([false, false])
  })

  test('behavior: a known change is none: a pause, a day without income, fewer tenors', () => {
    const changes = [
      stateOf({ status: 'paused' }),
      stateOf({ isProtocolSynced: false }),
      stateOf({ floatingRate: '0' }),
      stateOf({}, { tenors: [7] }),
      state,
    ]
    for (const now of changes)
      expect([isRateWorse(state.rate, now), isStatusWorse(state.status, now)]).toEqual([false, false])
  })

  test('behavior: nothing known before counts as well, so that a start is not reported as a loss', () => {
    expect(isRateWorse(undefined, stateOf(unreadable))).toBe(true)
    expect(isStatusWorse(undefined, stateOf({ status: 'unknown' }))).toBe(true)
    expect([isRateWorse(undefined, state), isStatusWorse(undefined, state)]).toEqual([false, false])
  })
})

test('error: stored data of another form counts as none', () => {
  expect(parseState({ rate: '{"chainid":"324"}', status: '[]' })).toEqual({ rate: undefined, status: undefined })
  expect(parseState({ rate: undefined, status: undefined })).toEqual({ rate: undefined, status: undefined })
})
