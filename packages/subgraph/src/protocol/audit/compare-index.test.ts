import { type RpcCall, RpcError } from '@tallystick/chain'
import { expect, test } from 'vitest'
import type { Difference } from '../contradictions.ts'
import {
  compareAccounts,
  compareIncomes,
  comparePool,
  comparePositions,
  type IndexedPosition,
} from './compare-entities.ts'

const token = `0x${'aa'.repeat(20)}` as const
const owner = `0x${'0b'.repeat(20)}`
const other = `0x${'0c'.repeat(20)}`
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')
const revert = new RpcError({ kind: 'error', code: 3, message: 'execution reverted', data: '0x7e273289' })

/** A node that answers calldata by a list. Everything else reverts. All calls must be at block 9. */
function nodeWith(answers: Readonly<Record<string, string | RpcError>>) {
  return {
    callMany: async (calls: readonly RpcCall[]) =>
      calls.map(({ params }) => {
        const [{ data }, block] = params as [{ readonly data: string }, string]
        expect(block).toBe('0x9')
        return answers[data] ?? revert
      }),
  }
}

const ownerOf = (id: bigint) => `0x6352211e${word(id)}`
const getLendInfo = (id: bigint) => `0x4e932e72${word(id)}`
const lendInfo = `0x${[100n, 200n, 500n, 10n ** 21n, 0n, 0n].map(word).join('')}`

function positionOf(id: string, fields: Partial<IndexedPosition> = {}): IndexedPosition {
  return {
    ...{ id, status: 'Active', currentOwner: owner, lendTimestamp: '100', maturityTimestamp: '200', coupon: '500' },
    ...{ principal: String(10n ** 21n), partnerFeeBPS: '0', partnerId: `0x${'00'.repeat(32)}` },
    ...fields,
  }
}

const sentencesOf = async (differences: Promise<readonly Difference[]>) =>
  (await differences).map(({ message }) => message)

function compare(indexed: readonly IndexedPosition[], { ids, node }: { ids: readonly string[]; node: object }) {
  const known = new Map(indexed.map((position) => [position.id, position]))
  return sentencesOf(comparePositions(nodeWith(node as never), { token, block: 9, ids, indexed: known }))
}

const held = { [ownerOf(1n)]: `0x${word(owner)}`, [getLendInfo(1n)]: lendInfo }

test('default: positions that agree with the token contradict nothing, nor do ids that exist nowhere', async () => {
  const indexed = [positionOf('1'), positionOf('2', { status: 'Claimed' })]
  expect(await compare(indexed, { ids: ['1', '2', '3'], node: held })).toEqual([])
})

test.each([
  ['exists on the chain only', [], `Position 1 of ${owner} exists on the chain and not in the index.`],
  [
    'was claimed in the index only',
    [positionOf('1', { status: 'Claimed' })],
    `Position 1 is claimed in the index and held by ${owner} on the chain.`,
  ],
  [
    'has another owner',
    [positionOf('1', { currentOwner: other })],
    `Position 1 is held by ${other} in the index and by ${owner} on the chain.`,
  ],
  [
    'has another coupon',
    [positionOf('1', { coupon: '501' })],
    'Position 1 has the coupon 501 in the index and 500 on the chain.',
  ],
  [
    'has another partner',
    [positionOf('1', { partnerId: `0x${'01'.repeat(32)}` })],
    `Position 1 has the partnerId 0x${'01'.repeat(32)} in the index and 0x${'00'.repeat(32)} on the chain.`,
  ],
])('error: a position that %s', async (_, indexed, expected) => {
  expect(await compare(indexed, { ids: ['1'], node: held })).toEqual([expected])
})

test('error: an active position that the chain does not have is named once', async () => {
  expect(await compare([positionOf('1')], { ids: ['1'], node: {} })).toEqual([
    'Position 1 is active in the index and does not exist on the chain.',
  ])
})

test('error: an answer that is no revert and no value is a failure of the node, not a contradiction', async () => {
  const pruned = new RpcError({ kind: 'error', code: -32000, message: 'missing trie node' })
  await expect(compare([positionOf('1')], { ids: ['1'], node: { [ownerOf(1n)]: pruned } })).rejects.toBe(pruned)
  const empty = compare([positionOf('1')], { ids: ['1'], node: { [ownerOf(1n)]: '0x' } })
  await expect(empty).rejects.toMatchObject({ kind: 'malformed' })
})

test('default: balances of accounts', async () => {
  const node = nodeWith({
    [`0x70a08231${word(owner)}`]: `0x${word(2n)}`,
    [`0x70a08231${word(other)}`]: `0x${word(0n)}`,
  })
  const accounts = [
    { id: owner, activePositions: 2 },
    { id: other, activePositions: 1 },
  ]
  expect(await sentencesOf(compareAccounts(node, { token, block: 9, accounts }))).toEqual([
    `Account ${other} holds 1 positions in the index and 0 on the chain.`,
  ])
})

const sums = nodeWith(
  Object.fromEntries([0n, 10n, 30n, 60n].map((sum, day) => [`0x01a5fa62${word(BigInt(day))}`, `0x${word(sum)}`])),
)
const income = (day: number, floatingIncome: number, accFloatingIncome: number) => ({
  ...{ day, floatingIncome: String(floatingIncome), accFloatingIncome: String(accFloatingIncome) },
})

test('default: days of floating income, and days that the index lacks', async () => {
  const right = [income(1, 10, 10), income(2, 20, 30), income(3, 30, 60)]
  expect(await sentencesOf(compareIncomes(sums, { pool: token, block: 9, incomes: right, absent: [0, 4] }))).toEqual([])
  const wrong = [income(0, 0, 0), income(1, 10, 11), income(3, 50, 60)]
  expect(await sentencesOf(compareIncomes(sums, { pool: token, block: 9, incomes: wrong, absent: [2] }))).toEqual([
    'Day 2 is reported on the chain and missing in the index.',
    'Day 1 has the accFloatingIncome 11 in the index and 10 on the chain.',
    'Day 3 has the floatingIncome 50 in the index and 30 on the chain.',
  ])
})

test('default: the state of the pool', async () => {
  const node = nodeWith({
    ...{ '0x1efa9743': `0x${word(3n)}`, '0xda1b5b38': `0x${word(1000n)}`, '0x5c975abb': `0x${word(1n)}` },
  })
  const ask = (indexed: Parameters<typeof comparePool>[1]['indexed']) =>
    sentencesOf(comparePool(node, { pool: token, block: 9, indexed }))
  expect(await ask({ paused: true, minLendLimit: '1000', lastFloatingIncomeDay: 3 })).toEqual([])
  expect(await ask({ paused: false, minLendLimit: null, lastFloatingIncomeDay: null })).toEqual([
    'The pool has the lastFloatingIncomeDay 0 in the index and 3 on the chain.',
    'The pool has the minLendLimit null in the index and 1000 on the chain.',
    'The pool has the paused 0 in the index and 1 on the chain.',
  ])
  expect(await ask(undefined)).toEqual(['The pool exists on the chain, and the index has no event of it.'])
  const nothing = nodeWith({ '0x1efa9743': '0x', '0xda1b5b38': '0x', '0x5c975abb': '0x' })
  expect(await sentencesOf(comparePool(nothing, { pool: token, block: 9, indexed: undefined }))).toEqual([])
})
