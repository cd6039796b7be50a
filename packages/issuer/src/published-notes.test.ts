import { notesResponseSchema, type Period, periodAfter, periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import type { NoteSet } from './note-set.ts'
import { createPublishedNotes, type NotesFilter, type PublishedPeriod } from './published-notes.ts'

// 2026-07-15, day period, and those around it.
const current = periodAt(BigInt(Date.parse('2026-07-15T12:00:00Z') / 1000))
const next = periodAfter(current)
const previous = periodAt(current.start - 1n)

function setOf({
  chainId = 324,
  period = current,
  coupon = 400n,
  tenors = [7, 30],
}: {
  chainId?: number
  period?: Period
  coupon?: bigint
  tenors?: number[]
} = {}): NoteSet {
  return {
    chainId,
    period,
    signer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
    curveId: 1n,
    issuedAt: period.start,
    notes: tenors.map((tenorDays) => ({
      tenorDays,
      chainId,
      maturityTimestamp: period.noteDay + BigInt(tenorDays) * 86_400n,
      coupon,
      startedAt: period.noteDay,
      validAfter: period.start - 1n,
      validBefore: period.end,
      signature: { r: `0x${'12'.repeat(32)}`, s: `0x${'34'.repeat(32)}`, v: 28 },
    })),
  }
}

function publishedWith(...sets: NoteSet[]) {
  const published = createPublishedNotes([...new Set(sets.map(({ chainId }) => chainId))])
  for (const set of sets) published.publish(set)
  return published
}

function bodyOf(period: PublishedPeriod | undefined, filter: NotesFilter = {}) {
  return notesResponseSchema.parse(JSON.parse(String(period?.answer(filter)?.body)))
}

const startMs = Number(current.start) * 1000
const endMs = Number(current.end) * 1000

describe('time', () => {
  test('default: an empty store finds nothing', () => {
    const published = createPublishedNotes([324])
    expect(published.at(startMs)).toBeUndefined()
    expect(published.find(324, current.start)).toBeUndefined()
  })

  test('behavior: a period is found from its first to its last millisecond only', () => {
    const published = publishedWith(setOf())
    expect(published.at(startMs - 1)).toBeUndefined()
    expect(published.at(startMs)?.startMs).toBe(startMs)
    expect(published.at(endMs - 1)?.endMs).toBe(endMs)
    expect(published.at(endMs - 0.001)?.endMs).toBe(endMs)
    expect(published.at(endMs)).toBeUndefined()
  })

  test('behavior: the next period can be published early and is found from its first millisecond on', () => {
    const published = publishedWith(setOf({ coupon: 400n }), setOf({ period: next, coupon: 500n }))
    expect(published.find(324, next.start)?.notes[0]?.coupon).toBe(500n)
    const couponAt = (ms: number) => bodyOf(published.at(ms)).data[0]?.coupon
    expect(couponAt(endMs - 1)).toBe('400')
    expect(couponAt(endMs)).toBe('500')
    // A clock that is set back across the boundary finds the notes of that time again.
    expect(couponAt(endMs - 1)).toBe('400')
  })

  test('behavior: with only the next period published, nothing is found now', () => {
    const published = publishedWith(setOf({ period: next }))
    expect(published.at(endMs - 1)).toBeUndefined()
    expect(published.at(endMs)?.startMs).toBe(endMs)
  })

  // 23-hour and 25-hour days.
  test.each(['2026-03-08T12:00:00Z', '2026-11-01T12:00:00Z'])('behavior: days with a DST change, %s', (instant) => {
    const day = periodAt(BigInt(Date.parse(instant) / 1000))
    const published = publishedWith(setOf({ period: day }))
    expect(published.at(Number(day.start) * 1000)).toBeDefined()
    expect(published.at(Number(day.end) * 1000 - 1)).toBeDefined()
    expect(published.at(Number(day.end) * 1000)).toBeUndefined()
  })

  test('behavior: every found note is valid at that instant', () => {
    const published = publishedWith(setOf({ period: previous }), setOf(), setOf({ period: next }))
    for (const period of [previous, current, next]) {
      for (const ms of [Number(period.start) * 1000, Number(period.end) * 1000 - 1]) {
        for (const note of bodyOf(published.at(ms)).data) {
          expect(Number(note.signature_valid_after)).toBeLessThan(Math.floor(ms / 1000))
          expect(Number(note.signature_valid_before)).toBeGreaterThan(Math.floor(ms / 1000))
        }
      }
    }
  })
})

describe('answers', () => {
  test('default: the body of GET /notes', () => {
    expect(bodyOf(publishedWith(setOf({ tenors: [7] })).at(startMs))).toMatchInlineSnapshot(`
      {
        "availableMaturities": [
          7,
        ],
        "data": [
          {
            "chainid": "324",
            "coupon": "400",
            "maturity_timestamp": "1784692800",
            "note_started_at": "1784088000",
            "signature": {
              "r": "0x1212121212121212121212121212121212121212121212121212121212121212",
              "s": "0x3434343434343434343434343434343434343434343434343434343434343434",
              "v": 28,
            },
            "signature_valid_after": "1784087999",
            "signature_valid_before": "1784152800",
          },
        ],
        "message": "Treasury notes of 2026-07-15, 00:00 to 18:00 New York.",
      }
    `)
  })

  test('behavior: repeated requests get the same bytes and ETag, created once', () => {
    const period = publishedWith(setOf()).at(startMs)
    for (const filter of [{}, { chainId: 324 }, { tenors: [7] }, { chainId: 324, tenors: [7, 30] }]) {
      const [first, second] = [period?.answer(filter), period?.answer({ ...filter })]
      expect(second?.body).toBe(first?.body)
      expect(second?.etag).toBe(first?.etag)
    }
  })

  test('behavior: replicas with the same notes return the same bytes and ETag, whatever the publishing order', () => {
    const [a, b] = [setOf({ chainId: 1 }), setOf({ chainId: 324 })]
    const one = publishedWith(a, b).at(startMs)?.answer({})
    const other = createPublishedNotes([324, 1])
    other.publish(b)
    other.publish(a)
    expect(other.at(startMs)?.answer({})).toEqual(one)
  })

  test('behavior: different content has a different ETag', () => {
    const period = publishedWith(setOf()).at(startMs)
    const etags = [
      period?.answer({})?.etag,
      period?.answer({ tenors: [7] })?.etag,
      period?.answer({ tenors: [30] })?.etag,
      publishedWith(setOf({ coupon: 401n }))
        .at(startMs)
        ?.answer({})?.etag,
      publishedWith(setOf({ period: next }))
        .at(endMs)
        ?.answer({})?.etag,
    ]
    expect(new Set(etags).size).toBe(5)
    for (const etag of etags) expect(etag).toMatch(/^"[\w-]{27}"$/)
  })

  test('behavior: equal content has the same ETag, whatever the filter', () => {
    const period = publishedWith(setOf()).at(startMs)
    expect(period?.answer({ chainId: 324 })?.etag).toBe(period?.answer({})?.etag)
  })

  test('behavior: sorted by chain as a number, then by maturity', () => {
    const published = publishedWith(
      setOf({ chainId: 1000 }),
      setOf({ chainId: 9, tenors: [7, 14, 360] }),
      setOf({ chainId: 324 }),
    )
    const order = bodyOf(published.at(startMs)).data.map(({ chainid, maturity_timestamp }) => [
      chainid,
      (Number(maturity_timestamp) - Number(current.noteDay)) / 86_400,
    ])
    expect(order).toEqual([
      ['9', 7],
      ['9', 14],
      ['9', 360],
      ['324', 7],
      ['324', 30],
      ['1000', 7],
      ['1000', 30],
    ])
  })

  test('behavior: available tenors are those of the requested chains, ascending, before the filter', () => {
    const period = publishedWith(setOf({ chainId: 1, tenors: [14, 180] }), setOf({ tenors: [7, 14] })).at(startMs)
    expect(period?.tenors(undefined)).toEqual([7, 14, 180])
    expect(period?.tenors(1)).toEqual([14, 180])
    expect(period?.tenors(2)).toEqual([])
    expect(bodyOf(period, { tenors: [7] }).availableMaturities).toEqual([7, 14, 180])
    expect(bodyOf(period, { chainId: 1, tenors: [14] }).availableMaturities).toEqual([14, 180])
  })

  test('behavior: a filter by chain, by tenor, and by both', () => {
    const period = publishedWith(setOf({ chainId: 1, tenors: [7, 14] }), setOf({ tenors: [7, 30] })).at(startMs)
    const count = (filter: NotesFilter) => bodyOf(period, filter).data.length
    expect([{}, { chainId: 1 }, { tenors: [7] }, { tenors: [30] }, { chainId: 1, tenors: [7] }].map(count)).toEqual([
      4, 2, 2, 1, 1,
    ])
  })

  test('behavior: tenors that share digits are not one filter', () => {
    const period = publishedWith(setOf({ tenors: [1, 11, 111] })).at(startMs)
    expect(bodyOf(period, { tenors: [1, 11] }).data).toHaveLength(2)
    expect(bodyOf(period, { tenors: [111] }).data).toHaveLength(1)
    expect(bodyOf(period, { chainId: 324, tenors: [1] }).data).toHaveLength(1)
  })
})

describe('a chain without notes', () => {
  test('behavior: is named in the message, and the answer is incomplete', () => {
    const published = createPublishedNotes([1, 324, 9])
    published.publish(setOf())
    const period = published.at(startMs)
    expect(period?.answer({})?.complete).toBe(false)
    // Made now, and then kept.
    expect(period?.answer({ tenors: [7] })?.complete).toBe(false)
    expect(period?.answer({ tenors: [7] })?.complete).toBe(false)
    expect(bodyOf(period).message).toMatchInlineSnapshot(
      `"Treasury notes of 2026-07-15, 00:00 to 18:00 New York. None are available for chain 1, 9."`,
    )
    expect(bodyOf(period, { tenors: [7] }).message).toContain('None are available for chain 1, 9.')
  })

  test('behavior: has no answer of its own, and the other chain’s answer is complete', () => {
    const published = createPublishedNotes([1, 324])
    published.publish(setOf())
    const period = published.at(startMs)
    expect(period?.answer({ chainId: 1 })).toBeUndefined()
    expect(period?.answer({ chainId: 1, tenors: [7] })).toBeUndefined()
    expect(period?.answer({ tenors: [8] })).toBeUndefined()
    expect(period?.answer({ chainId: 324 })?.complete).toBe(true)
    expect(bodyOf(period, { chainId: 324 }).message).not.toContain('None')
  })

  test('behavior: once it is published, the answers are recreated and complete', () => {
    const published = createPublishedNotes([1, 324])
    published.publish(setOf())
    const before = published.at(startMs)?.answer({})
    published.publish(setOf({ chainId: 1 }))
    const after = published.at(startMs)?.answer({})
    expect(after?.complete).toBe(true)
    expect(after?.etag).not.toBe(before?.etag)
    expect(bodyOf(published.at(startMs)).data.map(({ chainid }) => chainid)).toEqual(['1', '1', '324', '324'])
  })
})

describe('bounds', () => {
  function periodsFrom(first: Period, count: number): Period[] {
    const periods = [first]
    while (periods.length < count) periods.push(periodAfter(periods.at(-1) as Period))
    return periods
  }
  const visible = (published: ReturnType<typeof createPublishedNotes>, periods: readonly Period[]) =>
    periods.map(({ start }) => published.at(Number(start) * 1000) !== undefined)

  test('behavior: three periods are kept; the oldest is dropped first', () => {
    const periods = periodsFrom(previous, 5)
    const published = publishedWith(...periods.map((period) => setOf({ period })))
    expect(visible(published, periods)).toEqual([false, false, true, true, true])
    expect(published.find(324, (periods[1] as Period).start)).toBeUndefined()
    expect(published.find(324, (periods[2] as Period).start)).toBeDefined()
  })

  test('behavior: a month of periods leaves three', () => {
    const periods = periodsFrom(previous, 60)
    const published = publishedWith(...periods.map((period) => setOf({ period, tenors: [7] })))
    expect(visible(published, periods).filter(Boolean)).toHaveLength(3)
  })

  test('behavior: notes published after a clock that was days ahead is corrected are found', () => {
    const periods = periodsFrom(current, 6)
    const ahead = periods.slice(3).map((period) => setOf({ period }))
    const published = publishedWith(...ahead, setOf({ period: current }))
    expect(published.at(startMs)?.startMs).toBe(startMs)
  })

  test('behavior: filters beyond the cache limit are still answered consistently', () => {
    const tenors = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    const period = publishedWith(setOf({ tenors })).at(startMs)
    const subsets = Array.from({ length: 511 }, (_, index) => tenors.filter((_, bit) => (index + 1) & (1 << bit)))
    const ask = () => subsets.map((subset) => period?.answer({ tenors: subset }))
    const [first, second] = [ask(), ask()]
    expect(second.map((answer) => String(answer?.body))).toEqual(first.map((answer) => String(answer?.body)))
    expect(second.map((answer) => answer?.etag)).toEqual(first.map((answer) => answer?.etag))
    // The cache keeps 256 answers, including the two most common. The rest are created again.
    const kept = second.filter((answer, index) => answer?.body === first[index]?.body)
    expect(kept).toHaveLength(254)
    expect(bodyOf(period, { tenors: subsets[510] as number[] }).data).toHaveLength(9)
  })
})

describe('withholding', () => {
  const tenorsOf = ({ notes }: NoteSet) => notes.map(({ tenorDays }) => tenorDays)
  const because = (tenors: readonly number[]) => ({ tenors, clause: 'the pool is paused' })

  test('behavior: without the withheld tenors, the others are served in an answer that is not complete', () => {
    const set = setOf({ tenors: [7, 14, 30] })
    const published = publishedWith(set)
    const before = bodyOf(published.at(startMs))
    published.setWithheld(set, because([7, 30]))
    const period = published.at(startMs)
    expect(bodyOf(period)).toMatchObject({ data: [before.data[1]], availableMaturities: [14] })
    expect(bodyOf(period).message).toMatch(
      / New York\. The notes of 7, 30 days on chain 324 are withheld: the pool is paused\.$/,
    )
    expect(period?.answer({})?.complete).toBe(false)
    expect(period?.sets.get(324)?.notes).toEqual([set.notes[1]])
    published.setWithheld(set, undefined)
    expect(bodyOf(published.at(startMs))).toEqual(before)
    expect(published.at(startMs)?.answer({})?.complete).toBe(true)
  })

  test('default: a withheld set is not served, is still found, and is unchanged when released', () => {
    const [withheld, other] = [setOf(), setOf({ chainId: 10 })]
    const published = publishedWith(withheld, other)
    const before = bodyOf(published.at(startMs))
    published.setWithheld(withheld, because(tenorsOf(withheld)))
    expect(published.find(324, current.start)).toBe(withheld)
    expect(published.at(startMs)?.answer({ chainId: 324 })).toBeUndefined()
    expect(published.at(startMs)?.answer({})?.complete).toBe(false)
    expect(bodyOf(published.at(startMs)).data.every(({ chainid }) => chainid === '10')).toBe(true)
    expect(bodyOf(published.at(startMs)).message).toMatch(/ days on chain 324 are withheld: the pool is paused\.$/)
    expect(published.at(startMs)?.answer({ chainId: 10 })?.body.toString()).not.toContain('withheld')
    expect(published.findWithheld(324, startMs)).toEqual(because(tenorsOf(withheld)))
    expect([published.findWithheld(10, startMs), published.findWithheld(324, endMs)]).toEqual([undefined, undefined])
    published.setWithheld(withheld, undefined)
    expect(bodyOf(published.at(startMs))).toEqual(before)
  })

  test('behavior: it applies to the set that is published now, not to the one that was checked', () => {
    const checked = setOf()
    const published = publishedWith(checked)
    const adopted = { ...checked, issuedAt: checked.issuedAt + 1n }
    published.publish(adopted)
    published.setWithheld(checked, because([7]))
    expect(published.find(324, current.start)).toBe(adopted)
    published.setWithheld(checked, undefined)
    expect(published.find(324, current.start)).toBe(adopted)
  })

  test('behavior: a period whose only set is withheld serves nothing, even if it is published again', () => {
    const published = publishedWith(setOf(), setOf({ period: next }))
    published.setWithheld(setOf(), because(tenorsOf(setOf())))
    published.publish(setOf())
    expect(published.at(startMs)).toBeUndefined()
    expect(published.at(endMs)).toBeDefined()
  })

  test('behavior: a set withheld before it is published is not served', () => {
    const published = createPublishedNotes([324])
    published.setWithheld(setOf(), because(tenorsOf(setOf())))
    expect(published.find(324, current.start)).toBeUndefined()
    published.publish(setOf())
    expect(published.at(startMs)).toBeUndefined()
  })
})
