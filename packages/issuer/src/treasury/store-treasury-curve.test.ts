import { type CurveProvenance, newYorkInstant } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import type { Curve } from '../curve/curve.ts'
import type { TreasuryCurve } from './fetch-curve.ts'
import { supersedes } from './store-treasury-curve.ts'

const provenance: CurveProvenance = {
  source: 'treasury',
  sourceDate: '2024-11-20',
  basis: 'discount',
  spreadBps: 0,
  interpolation: 'linear-in-days, flat beyond the ends',
  rounding: 'half up',
  bills: [{ weeks: 4, days: 28, cusip: '912797AA4', maturityDate: null, ratePercent: '4.53', bps: '453' }],
  missingBills: [],
  documentSha256: '0'.repeat(64),
  url: 'https://treasury.example/xml',
  fetchedAt: '2024-11-20T22:45:00.000Z',
}
const fetched: TreasuryCurve = { points: { 7: 453, 30: 453 }, provenance }

const stored: Curve = {
  id: 1n,
  chainId: 324,
  effectiveFrom: newYorkInstant({ date: '2024-11-20', time: '18:00' }),
  points: { 30: 453, 7: 453 },
  confirmed: false,
  source: 'treasury',
  provenance,
  createdBy: 'treasury feed',
  createdAt: 0n,
}

function newsAfter(change: Partial<CurveProvenance>, points = fetched.points) {
  return supersedes({ points, provenance: { ...provenance, ...change } }, { last: stored, inForce: stored })
}

describe('after a Treasury curve', () => {
  test('behavior: equal rates do not supersede it, whenever and wherever they were read', () => {
    expect(newsAfter({})).toBe(false)
    expect(
      newsAfter({ documentSha256: '1'.repeat(64), fetchedAt: '2024-11-21T04:45:00.000Z', url: 'https://x.example' }),
    ).toBe(false)
  })

  test('behavior: newer rates do, even with equal values', () => {
    expect(newsAfter({ sourceDate: '2024-11-21' })).toBe(true)
  })

  test('error: older rates do not', () => {
    expect(newsAfter({ sourceDate: '2024-11-19' }, { 7: 400, 30: 400 })).toBe(false)
  })

  test('behavior: a correction does, and so does another basis, spread or tenor', () => {
    const [bill] = provenance.bills as [CurveProvenance['bills'][0]]
    expect(newsAfter({ bills: [{ ...bill, ratePercent: '4.54' }] })).toBe(true)
    expect(newsAfter({ basis: 'yield' })).toBe(true)
    expect(newsAfter({ spreadBps: 1 })).toBe(true)
    expect(newsAfter({}, { 7: 453, 30: 453, 60: 453 })).toBe(true)
  })
})

describe('after a manual curve', () => {
  const setFor = (date: string, time: string): Curve => ({
    ...stored,
    source: 'manual',
    provenance: null,
    effectiveFrom: newYorkInstant({ date, time }),
  })

  test.each([
    // The row of 2024-11-20 is out at 16:15.
    ['2024-11-20', '00:00', true],
    ['2024-11-20', '18:00', false],
    ['2024-11-21', '00:00', false],
    ['2024-11-01', '18:00', true],
  ])('behavior: in force from %s %s, superseded by rates of 2024-11-20: %s', (date, time, gives) => {
    expect(supersedes(fetched, { last: undefined, inForce: setFor(date, time) })).toBe(gives)
  })

  test('error: it is not superseded by rates older than the last Treasury curve', () => {
    const last = { ...stored, provenance: { ...provenance, sourceDate: '2024-11-21' } }
    expect(supersedes(fetched, { last, inForce: setFor('2024-11-01', '18:00') })).toBe(false)
  })
})

test('default: without a curve in force, any curve is stored', () => {
  expect(supersedes(fetched, { last: undefined, inForce: undefined })).toBe(true)
})
