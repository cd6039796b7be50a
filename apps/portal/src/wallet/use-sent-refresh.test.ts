import { expect, test } from 'vitest'
import { fakeHash, fakeSent } from '../sent/fake-sent.ts'
import { isMissing } from './use-sent-refresh.ts'

const address = `0x${'AC'.repeat(20)}` as const
const confirmed = { state: { kind: 'confirmed', isFinal: false }, endedAtMs: 1_000 } as const
const holding = { chain: { id: 324 }, tokenId: 5n, state: 'matured', lendTransactionHash: fakeHash }

function look(sent: Parameters<typeof fakeSent>[0], part: object = {}, nowMs = 2_000): boolean {
  const holdings = [{ ...holding, ...part }] as unknown as Parameters<typeof isMissing>[1]['wallet']['holdings']
  return isMissing(fakeSent({ ...confirmed, ...sent }), { wallet: { address, holdings }, nowMs })
}

const claim = { act: { kind: 'claim', tokenIds: ['5'] } } as const

test.each([
  ['a lend that the report has', {}, {}, false],
  ['a lend that it lacks', {}, { lendTransactionHash: '0x0' }, true],
  ['a lend of another chain with the same positions', { chainId: 1 }, {}, true],
  ['a claim of a position that is still there', claim, {}, true],
  ['a claim of one that is claimed', claim, { state: 'claimed' }, false],
  ['a lend that waits', { state: { kind: 'waiting' } }, { lendTransactionHash: '0x0' }, false],
  ['a lend of another account', { account: '0x0' }, { lendTransactionHash: '0x0' }, false],
  ['an approval', { act: { kind: 'approveDollars', principal: '1' } }, { lendTransactionHash: '0x0' }, false],
] as const)('default: %s', (_, sent, part, isLate) => {
  expect(look(sent, part)).toBe(isLate)
})

test('behavior: an index that stays behind is not asked forever', () => {
  expect(look({}, { lendTransactionHash: '0x0' }, 61_000)).toBe(false)
})
