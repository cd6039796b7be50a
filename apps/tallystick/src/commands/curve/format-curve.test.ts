import type { CurveProvenance, CurveReport, CurveView } from '@tallystick/core'
import { expect, test } from 'vitest'
import { chooseLayout } from '../terminal/layout.ts'
import { formatCurveReport, formatDifference } from './format-curve.ts'

const plain = chooseLayout({} as NodeJS.WriteStream, { env: {}, color: false })

const provenance: CurveProvenance = {
  source: 'treasury',
  sourceDate: '2024-11-22',
  basis: 'discount',
  spreadBps: -100,
  interpolation: 'linear-in-days, flat beyond the ends',
  rounding: 'half up',
  bills: [
    { weeks: 4, days: 28, cusip: '912797MS3', maturityDate: '2024-12-24', ratePercent: '4.53', bps: '453' },
    { weeks: 17, days: 119, cusip: null, maturityDate: null, ratePercent: '4.40', bps: '440' },
  ],
  missingBills: [8],
  documentSha256: 'ab'.repeat(32),
  url: 'https://home.treasury.gov/xml?data=daily_treasury_bill_rates&field_tdr_date_value_month=202411',
  fetchedAt: '2024-11-22T22:40:00.000Z',
}
const manual: CurveView = {
  id: '1',
  chainId: null,
  effectiveFrom: '2024-11-22T05:00:00.000Z',
  effectiveFromNewYork: '2024-11-22 00:00',
  points: { 7: 350, 30: 352 },
  confirmed: false,
  source: 'manual',
  provenance: null,
  createdBy: 'ann@ops',
  createdAt: '2024-11-21T15:00:00.000Z',
}
const treasury: CurveView = {
  ...manual,
  id: '2',
  chainId: 324,
  effectiveFrom: '2024-11-22T23:00:00.000Z',
  effectiveFromNewYork: '2024-11-22 18:00',
  points: { 7: 353, 30: 353 },
  source: 'treasury',
  provenance,
  createdBy: 'treasury feed',
  createdAt: '2024-11-22T22:40:00.000Z',
}
const report: CurveReport = {
  source: 'treasury',
  problem: null,
  chains: [
    {
      chainId: 324,
      tenors: [7, 30],
      current: { period: '2024-11-22, 00:00 to 18:00 New York', signed: true, isFixed: true, curve: manual },
      next: { period: '2024-11-22, 18:00 to 24:00 New York', signed: false, isFixed: false, curve: treasury },
    },
  ],
  history: [treasury, manual],
}

test('default: shows the current and next curve, the change, the source and earlier curves', () => {
  expect(`\n${formatCurveReport(report, plain)}\n`).toMatchInlineSnapshot(`
    "
    Chain 324
      now   2024-11-22, 00:00 to 18:00 New York (signed): curve 1
      next  2024-11-22, 18:00 to 24:00 New York: curve 2
      353 ┤      ○           ○
      352 ┤                ··●
      351 ┤          ······
      350 ┤      ●···
          └──────7───────────30────
           bps by days:  ● now  ○ next  ◉ both
      TENOR    NOW      NEXT     CHANGE (BPS)
      7 days   350 bps  353 bps  +3
      30 days  352 bps  353 bps  +1
      curve 1: manual, by ann@ops at 2024-11-21T15:00:00.000Z
      curve 2: treasury, by treasury feed at 2024-11-22T22:40:00.000Z
        US Treasury bills of 2024-11-22, bank discount (act/360)
        spread -100 bps; linear-in-days, flat beyond the ends; rounded half up
        BILL      TERM      RATE    PER 360 DAYS  CUSIP      MATURES
        4 weeks   28 days   4.53 %  453 bps       912797MS3  2024-12-24
        17 weeks  119 days  4.40 %  440 bps       -          -
        MISSING: 8 weeks
        fetched 2024-11-22T22:40:00.000Z from https://home.treasury.gov/xml?data=daily_treasury_bill_rates&field_tdr_date_value_month=202411
        sha256 abababababababababababababababababababababababababababababababab

    CURVE  FROM (NEW YORK)   CHAIN  SOURCE    RATES OF    CONFIRMED  SET BY         SET AT
    2      2024-11-22 18:00  324    treasury  2024-11-22  no         treasury feed  2024-11-22T22:40:00.000Z
    1      2024-11-22 00:00  all    manual    -           no         ann@ops        2024-11-21T15:00:00.000Z
    "
  `)
})

test('default: says that no curve was ever set', () => {
  const none = { signed: false, isFixed: false, curve: null }
  const chains = [{ chainId: 324, tenors: [7], current: { period: 'now', ...none }, next: { period: 'then', ...none } }]
  expect(
    `\n${formatCurveReport({ source: 'manual', problem: null, chains, history: [] }, plain)}\n`,
  ).toMatchInlineSnapshot(`
    "
    Chain 324
      now   now: no curve
      next  then: no curve

    No curve was ever set: \`tallystick curve set\`.
    "
  `)
})

test('default: compares a new curve with that of the first period it can be in force for', () => {
  const points = { 7: 360, 30: 340, 60: 330 }
  const chains = report.chains.map((chain) => ({ ...chain, tenors: [7, 30, 60] }))
  expect(`\n${formatDifference({ ...report, chains }, { points, chainId: null }, plain)}\n`).toMatchInlineSnapshot(`
    "
    Chain 324, 2024-11-22, 18:00 to 24:00 New York
      TENOR    OLD      NEW      CHANGE (BPS)
      7 days   353 bps  360 bps  +7
      30 days  353 bps  340 bps  -13
      60 days  -        330 bps  -
    "
  `)
  const [chain] = report.chains as [CurveReport['chains'][0]]
  const unsigned = { ...report, chains: [{ ...chain, current: { ...chain.current, signed: false, isFixed: false } }] }
  expect(formatDifference(unsigned, { points, chainId: 324 }, plain)).toContain('+10')
  const signing = { ...report, chains: [{ ...chain, current: { ...chain.current, signed: false } }] }
  expect(formatDifference(signing, { points, chainId: 324 }, plain)).toContain('18:00 to 24:00')
  expect(formatDifference(report, { points, chainId: 10 }, plain)).toBe('')
})

test('behavior: a problem of the source is shown first', () => {
  const problem = 'The Treasury feed answers with status 503.'
  expect(formatCurveReport({ ...report, problem }, plain)).toMatch(/^PROBLEM: The Treasury feed .* 503\.\n\n/)
})
