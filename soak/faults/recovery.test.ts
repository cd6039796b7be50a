import { expect, test } from 'vitest'
import { findUnserved } from './recovery.ts'

const position = (tokenId: string, lendTransactionHash = `0x${tokenId}`) => ({ tokenId, lendTransactionHash })
const onChain = ['1', '2', '3'].map((id) => position(id))

test('default: all positions are served, and newer ones may be', () => {
  expect(findUnserved([...onChain, position('4')], { onChain })).toBe(undefined)
})

test('error: a position that is missing or of another chain is named', () => {
  expect(findUnserved([position('1'), position('3')], { onChain })).toBe('position 2 is missing')
  expect(findUnserved([position('1'), position('2', '0xother'), position('3')], { onChain })).toBe(
    'position 2 is of another lend',
  )
})
