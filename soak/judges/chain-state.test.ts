import { expect, test } from 'vitest'
import { compareWithStates, type PositionState } from './chain-state.ts'

const terms = { coupon: '369', principal: '1000' }
const active = { tokenId: '1', currentOwner: '0xa', status: 'Active', ...terms }
const claimed = { tokenId: '2', currentOwner: '0xb', status: 'Claimed', ...terms }
const states: readonly PositionState[] = [{ tokenId: '1', owner: '0xa', terms }, { tokenId: '2' }, { tokenId: '3' }]

test('default: equal positions have no difference, and ids after the last one do not exist', () => {
  expect(compareWithStates([active, claimed], { states })).toBe(undefined)
})

test.each([
  ['a position that is missing', [claimed], 'position 1 is not served, but 0xa owns it'],
  ['another owner', [{ ...active, currentOwner: '0xc' }, claimed], 'position 1 has currentOwner 0xc'],
  ['other terms', [{ ...active, coupon: '1' }, claimed], 'position 1 has coupon 1, in the contracts 369'],
  ['a claim that is missing', [active, { ...claimed, status: 'Active' }], 'position 2 has status Active'],
  ['a claim that never was', [{ ...active, status: 'Claimed' }, claimed], 'position 1 has status Claimed'],
  ['a position of another chain', [active, claimed, { ...active, tokenId: '3' }], 'position 3 has status Active'],
])('error: %s is reported', (_, served, message) => {
  expect(compareWithStates(served, { states })).toContain(message)
})
