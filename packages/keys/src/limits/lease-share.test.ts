import { expect, test } from 'vitest'
import { holdOf, shareOf } from './lease-share.ts'
import { hashText } from './lease-window.ts'

const keyId = 'key_000000000001'
const members = ['a', 'b', 'c', 'd']

test.each([0, 1, 2, 3, 4, 7, 600, 603])('default: the shares of a limit of %i add up to it', (limit) => {
  const shares = members.map((id) => shareOf({ keyId, limit, members, id }))
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit)
  expect(Math.max(...shares) - Math.min(...shares)).toBe(limit % 4 === 0 ? 0 : 1)
})

test('behavior: the key decides who has one more', () => {
  const positionOf = (key: string) => members.findIndex((id) => shareOf({ keyId: key, limit: 1, members, id }) === 1)
  for (const key of ['key_1', 'key_2', 'key_3', keyId]) expect((positionOf(key) + hashText(key)) % 4).toBe(0)
})

test('behavior: a replica that is no member has nothing', () => {
  expect(shareOf({ keyId, limit: 600, members, id: 'e' })).toBe(0)
})

test.each([
  // Alone: a quarter.
  [{ period: 'minute', limit: 600, members: 1, demand: 0 }, 150],
  [{ period: 'minute', limit: 8, members: 1, demand: 0 }, 2],
  [{ period: 'minute', limit: 3, members: 1, demand: 0 }, 1],
  // With others: a fortieth, or 10, or half of a share of a small limit.
  [{ period: 'minute', limit: 4_000, members: 3, demand: 0 }, 100],
  [{ period: 'minute', limit: 300, members: 3, demand: 0 }, 10],
  [{ period: 'minute', limit: 30, members: 3, demand: 0 }, 5],
  [{ period: 'minute', limit: 2, members: 3, demand: 0 }, 1],
  // Quotas: by demand, and a fortieth at most.
  [{ period: 'day', limit: 4_000, members: 3, demand: 20 }, 80],
  [{ period: 'day', limit: 4_000, members: 1, demand: 1_000 }, 100],
  [{ period: 'month', limit: 4_000, members: 3, demand: 0 }, 10],
  [{ period: 'month', limit: 20, members: 3, demand: 50 }, 1],
] as const)('default: of %o a replica holds %i', (options, hold) => {
  expect(holdOf(options)).toBe(hold)
})
