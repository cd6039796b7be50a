import { periodAfter, periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { describeChange, followTerms } from './follow-terms.ts'
import { announceTerms, termsAt } from './terms-at.ts'

const at = (text: string) => Date.parse(text) / 1000
const evening = BigInt(at('2026-11-13T18:00:00-05:00'))

describe('the time left', () => {
  test.each([
    ['00:00:00', 'holding', 64_800],
    ['17:49:59', 'holding', 601],
    ['17:50:00', 'counted', 600],
    ['17:59:00', 'counted', 60],
    // The SDK passes a note on as long as 30 s are left.
    ['17:59:30', 'counted', 30],
    ['17:59:31', 'ending', 29],
    ['17:59:59', 'ending', 1],
    // The pool excludes the end.
    ['18:00:00', 'over', 0],
    ['18:00:01', 'over', 0],
  ] as const)('default: at %s the terms are %s', (time, phase, left) => {
    expect(termsAt(at(`2026-11-13T${time}-05:00`), evening)).toEqual({ phase, left })
  })

  // The day clocks go forward, an ordinary day, and the day they go back.
  test.each(['2026-03-08T12:00:00-04:00', '2026-11-13T12:00:00-05:00', '2026-11-01T12:00:00-05:00'])(
    'behavior: on %s the terms end at 18:00 and at midnight of New York',
    (noon) => {
      const day = periodAt(BigInt(at(noon)))
      for (const { start, end } of [day, periodAfter(day)]) {
        const [first, last] = [Number(start), Number(end) - 1]
        expect(termsAt(first, end)).toEqual({ phase: 'holding', left: Number(end - start) })
        expect(termsAt(last, end)).toEqual({ phase: 'ending', left: 1 })
        expect(termsAt(last + 1, end).phase).toBe('over')
        expect(termsAt(last - 599, end).phase).toBe('counted')
        expect(termsAt(last - 600, end).phase).toBe('holding')
      }
      const hours = (Number(day.end) - Number(day.start)) / 3600
      expect(hours).toBe({ '03-08': 17, '11-13': 18, '11-01': 19 }[noon.slice(5, 10)])
    },
  )

  test.each([-3600, 0, 3600])('behavior: a clock of the visitor that is wrong by %d s changes nothing', (wrong) => {
    const serverOffsetMs = -wrong * 1000
    // As `useNow` computes it.
    const show = (time: string) =>
      termsAt(Math.floor(((at(`2026-11-13T${time}-05:00`) + wrong) * 1000 + serverOffsetMs) / 1000), evening).phase
    expect(['17:49:59', '17:50:00', '17:59:31', '18:00:00'].map(show)).toEqual(['holding', 'counted', 'ending', 'over'])
  })

  test('behavior: a screen reader hears it five times in ten minutes, and nothing before and after', () => {
    const said = Array.from({ length: 700 }, (_, second) =>
      announceTerms(termsAt(Number(evening) - 650 + second, evening)),
    )
    expect(said.filter((text, index) => text !== said[index - 1])).toEqual([
      '',
      'These terms hold for 10 more minutes at most.',
      'These terms hold for 5 more minutes at most.',
      'These terms hold for 2 more minutes at most.',
      'These terms hold for one more minute at most.',
      'These terms expire in a moment. The form then takes the next note by itself.',
      '',
    ])
  })
})

describe('the change of terms', () => {
  const note = (change: object = {}) => ({
    chainId: 324,
    tenorDays: 30,
    coupon: 369n,
    validBefore: evening,
    ...change,
  })
  const next = { validBefore: evening + 21_600n }
  const follow = (...notes: readonly (ReturnType<typeof note> | undefined)[]) =>
    notes.reduce((known, one) => followTerms(known, one), followTerms({}, undefined)).replaced

  test('default: the note of the next period replaces the last one, also after a time without a note', () => {
    expect(follow(note(), note(next))).toEqual(note())
    expect(follow(note(), undefined, note(next))).toEqual(note())
    expect(follow(note(), note(next), note({ ...next, coupon: 370n }))).toEqual(note())
  })

  test('behavior: nothing is replaced by the choice of another tenor or chain, or when the form opens', () => {
    expect(follow(note())).toBeUndefined()
    expect(follow(note(), note({ tenorDays: 7 }))).toBeUndefined()
    expect(follow(note(), note({ ...next, chainId: 8453 }))).toBeUndefined()
    expect(follow(note(), note(next), note({ ...next, tenorDays: 7 }))).toBeUndefined()
    expect(follow(note(), note(next), note({ ...next, chainId: 8453 }))).toBeUndefined()
  })

  test.each([
    [{}, 'The last note expired. 30 days pay 3.69% per year, as before.'],
    [{ coupon: 371n }, 'The last note expired. 30 days pay 3.71% per year now, and 3.69% before.'],
    [
      { tenorDays: 1, coupon: 350n },
      'No note of 30 days is on offer in this period. The form shows another one: 1 day pays 3.50% per year.',
    ],
  ])('default: case %# is described', (change, text) => {
    expect(describeChange(note(), note({ ...next, ...change }))).toBe(text)
  })
})
