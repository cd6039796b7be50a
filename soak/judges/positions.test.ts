import { expect, test } from 'vitest'
import { comparePositions } from './positions.ts'

const position = { tokenId: '1', currentOwner: '0xa', status: 'Active', fee: null }

test('default: equal positions have no difference', () => {
  expect(comparePositions([position], { chain: [{ ...position }] })).toBe(undefined)
})

test('error: a missing position and a different field are reported', () => {
  expect(comparePositions([], { chain: [position] })).toBe('0 positions served, 1 on the chain')
  expect(comparePositions([{ ...position, status: 'Claimed' }], { chain: [position] })).toBe(
    'position 1 has status Claimed, on the chain Active',
  )
})
