import {
  encodeNote,
  formatPeriod,
  maturityOf,
  type Note,
  type NotesReport,
  type PeriodReport,
  periodAfter,
  periodAt,
} from '@tallystick/core'
import { describeTimes } from '@tallystick/service'
import { expect, test } from 'vitest'
import { chooseLayout } from '../terminal/layout.ts'
import { formatCheckedNotes, formatNotesReport } from './format-notes.ts'

const plain = chooseLayout({} as NodeJS.WriteStream, { env: {}, color: false })

// New York is 4 hours from UTC at the first maturity, and 5 at the second.
const period = periodAt(BigInt(Date.parse('2026-10-25T12:00:00Z') / 1000))
const note: Note = {
  chainId: 324,
  maturityTimestamp: maturityOf({ noteDay: period.noteDay, tenorDays: 7 }),
  coupon: 1000n,
  startedAt: period.noteDay,
  validAfter: period.start - 1n,
  validBefore: period.end,
  signature: { r: `0x${'12'.repeat(32)}`, s: `0x${'34'.repeat(32)}`, v: 27 },
}
const report = (of: typeof period): PeriodReport => ({
  period: formatPeriod(of),
  start: '',
  end: '',
  signed: true,
  signer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  issuedAt: '2026-10-25T03:50:00Z',
  curve: null,
  refusal: null,
})
const offered = [7, 30].map((tenorDays) => {
  const one = { ...note, maturityTimestamp: maturityOf({ noteDay: period.noteDay, tenorDays }) }
  return { tenorDays, times: describeTimes(one), ...encodeNote(one) }
})
const notes: NotesReport = {
  now: '2026-10-25T12:00:00Z',
  chains: [
    {
      chainId: 324,
      name: 'zkSync Era',
      current: { ...report(period), notes: offered },
      next: { ...report(periodAfter(period)), signed: false },
    },
  ],
  rogue: [],
}

test('default: shows maturity and validity in New York time and in UTC', () => {
  const text = formatNotesReport(notes, plain)
  expect(`\n${text}\n`).toMatchInlineSnapshot(`
    "
    Service time 2026-10-25T12:00:00Z

    Chain 324 (zkSync Era)
    Now:  2026-10-25, 00:00 to 18:00 New York, signed 2026-10-25T03:50:00Z by 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1
    TENOR    COUPON    MATURITY (NEW YORK)  UTC                   SIGNATURE
    7 days   1000 bps  2026-11-01 00:00     2026-11-01T04:00:00Z  0x12121212…
    30 days  1000 bps  2026-11-24 00:00     2026-11-24T05:00:00Z  0x12121212…
    VALID   NEW YORK             UTC
    after   2026-10-24 23:59:59  2026-10-25T03:59:59Z
    before  2026-10-25 18:00     2026-10-25T22:00:00Z
    Next: 2026-10-25, 18:00 to 24:00 New York, not signed yet
    "
  `)
  const table = text.split('\n').filter((line) => !/^Now/.test(line))
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(100)
})

test('default: the JSON has ISO instants beside the seconds', () => {
  expect(notes.chains[0]?.current.notes[0]).toMatchObject({
    maturity_timestamp: '1793505600',
    signature_valid_after: '1792900799',
    signature_valid_before: '1792965600',
    times: {
      maturity: '2026-11-01T04:00:00Z',
      started: '2026-10-25T04:00:00Z',
      validAfter: '2026-10-25T03:59:59Z',
      validBefore: '2026-10-25T22:00:00Z',
    },
  })
})

test('default: shows the notes of a file, also with a time beyond the calendar', () => {
  const [checked, far] = [note.maturityTimestamp, 99_999_999_999_999_999_999n].map((maturityTimestamp) => ({
    chainId: 324,
    maturityTimestamp: String(maturityTimestamp),
    times: describeTimes({ ...note, maturityTimestamp }),
    coupon: '1000',
    genuine: true,
    reason: null,
    status: 'usable',
    secondsLeft: 64_800,
  }))
  if (!checked || !far) throw new Error('there are two')
  expect(
    `\n${formatCheckedNotes([checked, { ...checked, genuine: false, reason: 'why', secondsLeft: 3_599 }], plain)}\n`,
  ).toMatchInlineSnapshot(`
    "
    CHAIN  MATURITY (NEW YORK)  UTC                   COUPON    SIGNATURE    NOW                      WHY
    324    2026-11-01 00:00     2026-11-01T04:00:00Z  1000 bps  genuine      usable, 18 h 0 min left
    324    2026-11-01 00:00     2026-11-01T04:00:00Z  1000 bps  NOT GENUINE  usable, 59 min left      why
    "
  `)
  expect(formatCheckedNotes([{ ...far, secondsLeft: 59 }], plain)).toMatch(
    /99999999999999999999 s +- +1000 bps .* usable, 59 s left/,
  )
})
