import { formatNewYork, maturityOf, periodAfter, periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import {
  curveEntry,
  firstPeriod,
  type NotesOptions,
  noteSigner,
  notesEntry,
  otherSigner,
  periodsFrom,
  points,
  pool,
  signerEntry,
} from '../../../service/test/monitored-log.ts'
import type { MonitorFinding } from '../finding.ts'
import { type CurveRecord, createState } from '../monitor-state.ts'
import { checkEntry, readEntry, recordEntry } from './check-entry.ts'
import { addCurve, findCurveInForce, pruneCurves } from './curve-records.ts'

const none: ReadonlySet<string> = new Set()

/** Checks entries as a log has them: each is written to a line and read again. */
async function check(entries: readonly object[]) {
  const state = createState('key')
  const findings: MonitorFinding[] = []
  for (const [index, value] of entries.entries()) {
    const read = readEntry(JSON.stringify(value), index)
    findings.push(...read.findings)
    if (!read.entry) continue
    findings.push(...(await checkEntry(state, read.entry, index)))
    recordEntry(state, { entry: read.entry, index, followed: none })
  }
  return { state, findings, kinds: findings.map(({ kind }) => kind) }
}

/** Kinds of the findings about a set after a signer and a curve. */
async function kindsOf(options: NotesOptions | object, before: readonly object[] = [signerEntry(), curveEntry()]) {
  const set = 'type' in options ? options : await notesEntry(options as NotesOptions)
  return (await check([...before, set])).kinds
}

test('default: honest sets over both days on which clocks change are silent', async () => {
  const autumn = periodsFrom(periodAt(1793332800n), 8)
  const spring = periodsFrom(periodAt(1804827600n), 8)
  expect([autumn, spring].flat().map(({ start, end }) => (end - start) / 3600n)).toEqual(
    expect.arrayContaining([17n, 19n]),
  )
  const sets = await Promise.all([...autumn, ...spring].map((period) => notesEntry({ period })))
  const { findings, state } = await check([signerEntry(), curveEntry(), ...sets])
  expect(findings).toEqual([])
  expect(state.chains['324']?.seen).toHaveLength(2)
})

describe('error: a period that is none', () => {
  const { start, end, noteDay } = firstPeriod
  test.each([
    ['one second late', { start: start + 1n, end, noteDay }],
    ['one second early', { start: start - 1n, end, noteDay }],
    ['one second too long', { start, end: end + 1n, noteDay }],
    ['a day of 18 hours on the day of 19', { ...periodAt(1793505600n), end: 1793505600n + 64_800n }],
    ['the day before', { start, end, noteDay: noteDay - 86_400n }],
    ['beyond the calendar', { start: 10n ** 15n, end: 10n ** 15n + 1n, noteDay: 10n ** 15n }],
  ])('%s', async (_, wrong) => {
    const period = { start: String(wrong.start), end: String(wrong.end), noteDay: String(wrong.noteDay) }
    expect(await kindsOf({ ...(await notesEntry()), period })).toEqual(['wrong_period'])
  })

  test('a curve in force from no boundary on', async () => {
    const from = (seconds: bigint) => check([curveEntry({ effectiveFrom: String(seconds) })])
    expect((await from(start + 1n)).kinds).toEqual(['wrong_period'])
    expect((await from(9_999_999_999_999_999n)).kinds).toEqual(['wrong_period'])
    expect((await from(end)).kinds).toEqual([])
  })
})

test('error: a second set for a period, however long after the first', async () => {
  const years = Array.from({ length: 5 }, (_, at) => periodAt(firstPeriod.start + BigInt(at) * 31_536_000n))
  const sets = await Promise.all(years.map((period) => notesEntry({ period })))
  const { kinds, findings } = await check([signerEntry(), curveEntry(), ...sets, sets[0] as object])
  expect(kinds).toEqual(['second_set'])
  expect(findings[0]).toMatchObject({ subject: 'entry 7', evidence: { index: 7 } })
  expect(findings[0]?.message).toContain('2026-10-30, 00:00 to 18:00 New York')
  expect(findings[0]?.message).toContain('was not compared')
})

test('behavior: two sets for a period are told apart if they are identical', async () => {
  const before = [
    signerEntry(),
    curveEntry(),
    await notesEntry(),
    await notesEntry({ period: periodAfter(firstPeriod) }),
  ]
  const messageOf = async (set: object) => (await check([...before, set])).findings[0]?.message
  const [first, ...others] = (await notesEntry()).notes
  const identical = { ...(await notesEntry()), salt: 'cd'.repeat(16), notes: [...others, first] }
  expect(await messageOf(identical)).toMatch(
    /a second set for .*, identical to entry 2: .* no other coupons were signed\.$/,
  )
  const other = await messageOf(await notesEntry({ coupons: { 7: '369' } }))
  expect(other).toMatch(/a second set for .*, other than entry 2\. .* two coupons were signed/)
  expect(await messageOf(await notesEntry({ pool: otherSigner.address }))).toContain('other than entry 2')
})

test('behavior: sets of two chains for one period are not two sets', async () => {
  const before = [signerEntry(), curveEntry(), signerEntry({ chainid: '1' }), await notesEntry()]
  expect(await kindsOf({ chainid: '1' }, before)).toEqual([])
})

describe('error: terms', () => {
  const day = firstPeriod.noteDay
  test.each([
    ['valid one second earlier', { validAfter: firstPeriod.start - 2n }],
    ['valid one second longer', { validBefore: firstPeriod.end + 1n }],
    ['started on another day', { startedAt: day - 86_400n }],
    ['for another chain', { chainId: 1 }],
  ])('%s', async (_, terms) => {
    expect(await kindsOf({ terms })).toContain('wrong_terms')
  })

  test.each([
    ['after 7 × 24 hours across the end of summer time', day + 7n * 86_400n],
    ['at 18:00', day + 7n * 86_400n + 64_800n],
    ['on its day', day],
    ['beyond the calendar', 10n ** 19n],
  ])('a maturity %s', async (_, maturityTimestamp) => {
    expect(await kindsOf({ terms: { maturityTimestamp } })).toEqual(['wrong_terms', 'wrong_coupon'])
  })

  test('a maturity that is there twice', async () => {
    const set = await notesEntry()
    expect(await kindsOf({ ...set, notes: [...set.notes, set.notes[0]] })).toEqual(['wrong_terms'])
  })
})

describe('error: signer and signatures', () => {
  test('a set of a signer that is not the logged one', async () => {
    expect(await kindsOf({ account: otherSigner })).toEqual(['wrong_signer'])
  })

  test('a set before its signer is logged, or with the signer of another chain', async () => {
    expect(await kindsOf({ curve: 0 }, [curveEntry()])).toEqual(['wrong_signer'])
    expect(await kindsOf({}, [signerEntry({ chainid: '1' }), curveEntry()])).toEqual(['wrong_signer'])
  })

  test('a signature by another key, and one of other terms', async () => {
    const set = await notesEntry({ account: otherSigner })
    expect(await kindsOf({ ...set, signer: noteSigner.address })).toEqual(['wrong_signature'])
    const [note, ...others] = (await notesEntry()).notes
    const altered = { ...(await notesEntry()), notes: [{ ...note, coupon: '370' }, ...others] }
    expect(await kindsOf(altered, [signerEntry(), curveEntry({ points: { ...points, 7: '370' } })])).toEqual([
      'wrong_signature',
    ])
  })

  test('behavior: a logged change of the signer is silent, and the old signer is then wrong', async () => {
    const next = periodAfter(firstPeriod)
    const change = signerEntry({ from: noteSigner.address, to: otherSigner.address, why: 'rotation' })
    const before = [signerEntry(), curveEntry(), await notesEntry(), change]
    expect(await kindsOf({ period: next, account: otherSigner }, before)).toEqual([])
    expect(await kindsOf({ period: next }, before)).toEqual(['wrong_signer'])
  })

  test.each([
    ['of another signer than before', [signerEntry(), signerEntry({ from: otherSigner.address, to: pool })]],
    ['that hides the signer before it', [signerEntry(), signerEntry({ from: null, to: otherSigner.address })]],
    ['of a signer that was never logged', [signerEntry({ from: otherSigner.address })]],
  ])('a change %s', async (_, entries) => {
    expect((await check(entries)).kinds).toEqual(['wrong_signer'])
  })
})

describe('error: domain and pool', () => {
  test('a domain of another chain or contract', async () => {
    const set = await notesEntry()
    expect(await kindsOf({ ...set, pool: otherSigner.address })).toEqual(['wrong_domain'])
    expect(await kindsOf({ ...set, domain: { ...set.domain, chainId: 1 } })).toEqual(['wrong_domain'])
  })

  test('another pool or domain than before', async () => {
    const period = periodAfter(firstPeriod)
    const before = [signerEntry(), curveEntry(), await notesEntry()]
    expect(await kindsOf({ period, pool: otherSigner.address }, before)).toEqual(['pool_changed'])
    const renamed = await notesEntry({ period })
    const kinds = await kindsOf({ ...renamed, domain: { ...renamed.domain, version: '2' } }, before)
    expect(kinds).toEqual(['pool_changed', 'wrong_signature'])
  })
})

describe('error: curve', () => {
  const next = periodAfter(firstPeriod)
  const laterCurve = curveEntry({ effectiveFrom: String(next.start), points: { 7: '400', 30: '390' } })

  test.each([
    ['a later entry', 9, []],
    ['itself', 2, []],
    ['a signer', 0, []],
  ])('that is %s', async (_, curve) => {
    expect(await kindsOf({ curve })).toEqual(['wrong_curve'])
  })

  test('of another chain', async () => {
    expect(await kindsOf({}, [signerEntry(), curveEntry({ chainid: '1' })])).toEqual(['wrong_curve'])
    expect(await kindsOf({}, [signerEntry(), curveEntry({ chainid: '324' })])).toEqual([])
  })

  test('not in force yet', async () => {
    const before = [signerEntry(), curveEntry(), laterCurve]
    const set = await notesEntry({ curve: 2, coupons: laterCurve.points })
    expect((await check([...before, set])).findings).toEqual([
      expect.objectContaining({
        kind: 'wrong_curve',
        message: expect.stringContaining('is in force from 2026-10-30 18:00 New York on only'),
      }),
    ])
    expect(await kindsOf({ curve: 2, coupons: laterCurve.points, period: next }, before)).toEqual([])
  })

  test('replaced by one with a later boundary, or by a newer one with the same', async () => {
    expect(await kindsOf({ period: next }, [signerEntry(), curveEntry(), laterCurve])).toEqual(['wrong_curve'])
    const again = curveEntry({ points: { 7: '400', 30: '390' } })
    expect(await kindsOf({}, [signerEntry(), curveEntry(), again])).toEqual(['wrong_curve'])
    const ofChain = curveEntry({ chainid: '324', points: { 7: '400', 30: '390' } })
    expect(await kindsOf({}, [signerEntry(), curveEntry(), ofChain])).toEqual(['wrong_curve'])
  })

  test('behavior: a curve of another chain, or from a later boundary on, replaces nothing', async () => {
    const before = [signerEntry(), curveEntry(), laterCurve, curveEntry({ chainid: '1', points: { 7: '1' } })]
    expect(await kindsOf({}, before)).toEqual([])
  })

  test.each([
    ['another coupon', { 7: '370', 30: '362' }],
    ['a tenor that the curve does not have', { 7: '369', 14: '365' }],
  ])('with %s', async (_, coupons) => {
    expect(await kindsOf({ coupons })).toEqual(['wrong_coupon'])
  })

  test('behavior: a set may offer fewer tenors than its curve, on a day with another offset than its maturity', async () => {
    const period = periodAt(1793500000n)
    expect(formatNewYork(maturityOf({ noteDay: period.noteDay, tenorDays: 7 }))).toMatch(/ 00:00$/)
    expect(await kindsOf({ period, coupons: { 7: '369' } })).toEqual([])
  })

  test('behavior: few curves are kept after years of curves, and the one in force is among them', () => {
    let curves: CurveRecord[] = []
    const periods = periodsFrom(firstPeriod, 500)
    for (const [index, period] of periods.entries()) {
      curves = addCurve(curves, index, curveEntry({ effectiveFrom: String(period.start) }))
      if (index === 10) curves = addCurve(curves, 1_000, curveEntry({ chainid: '1' }))
      curves = pruneCurves(curves, period.start)
      const wanted = { chainid: '324', periodStart: period.start, before: 500 }
      expect(findCurveInForce(curves, wanted)?.index).toBe(index)
    }
    expect(curves.filter(({ chainid }) => chainid === '1')).toHaveLength(1)
    expect(curves.length).toBeLessThan(35)
  })
})

describe('entries that cannot be read', () => {
  test.each([
    ['not JSON', 'hello'],
    ['a list', '[]'],
    ['two lines', `${JSON.stringify(signerEntry())}\n`],
    ['an unknown member', JSON.stringify({ ...signerEntry(), extra: 1 })],
    ['no signer', JSON.stringify({ ...signerEntry(), to: 'nobody' })],
  ])('error: %s is malformed', (_, line) => {
    const { entry, findings, isUnknown } = readEntry(line, 5)
    expect([entry, isUnknown, findings.map(({ kind }) => kind)]).toEqual([undefined, undefined, ['entry_malformed']])
  })

  test.each([
    ['version', { ...signerEntry(), v: 2 }],
    ['type', { ...signerEntry(), type: 'other' }],
  ])('error: an unknown %s asks for a newer monitor', (_, value) => {
    const { findings, isUnknown } = readEntry(JSON.stringify(value), 5)
    expect(isUnknown).toBe(true)
    expect(findings).toEqual([
      {
        kind: 'entry_unknown',
        subject: 'entry 5',
        severity: 'warn',
        message: expect.stringContaining('Update the monitor.'),
      },
    ])
  })
})
