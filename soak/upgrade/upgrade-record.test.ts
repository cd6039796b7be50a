import { expect, test } from 'vitest'
import type { Exchange } from '../judges/judge.ts'
import { createTally } from '../judges/tally.ts'
import { chooseReplica } from './choose-replica.ts'
import { createUpgradeRecord, encodeUpgrade, formatUpgrade } from './upgrade-record.ts'

const toExchange = (body: string, status = 200) =>
  ({ endpoint: '/notes', path: '/notes', answer: { status, headers: {}, body } }) as unknown as Exchange

test('default: counts requests by release, lost ones and bodies that both releases served', () => {
  const record = createUpgradeRecord()
  for (const release of ['old', 'new']) record.take(toExchange('same'), { release, isLost: false })
  record.take(toExchange('other'), { release: 'new', isLost: false })
  record.take(toExchange('failed', 500), { release: 'new', isLost: true })
  record.step('replica a runs new', 1_000)
  const counts = record.read()
  expect([...counts.releases]).toEqual([
    ['old', { requests: 1, lost: 0 }],
    ['new', { requests: 3, lost: 1 }],
  ])
  expect(counts.bodies).toEqual({ all: 2, shared: 1 })
  const tally = createTally(() => undefined)
  tally.addViolation('a /notes: 500', 1_000)
  const report = { ...counts, seed: 1, from: 'old', to: 'new', tally, retried: 2, periods: 1, lent: '' }
  expect(formatUpgrade(report)).toContain('\nlost requests: 1\nviolations: 1\n  00:01.0 a /notes: 500 (1 times)')
  expect(encodeUpgrade(report)).toMatchObject({
    releases: { new: { lost: 1 } },
    retried: 2,
    violations: [{ times: 1 }],
  })
})

test('behavior: requests go to ready replicas, and to either if none is ready', () => {
  expect([0, 0.99].map((draw) => chooseReplica(new Set(['b']), draw))).toEqual(['b', 'b'])
  expect([0, 0.99].map((draw) => chooseReplica(new Set(['b', 'a']), draw))).toEqual(['a', 'b'])
  expect([0, 0.99].map((draw) => chooseReplica(new Set(), draw))).toEqual(['a', 'b'])
})
