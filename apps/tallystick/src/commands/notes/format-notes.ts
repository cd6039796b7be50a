import { countOf } from '@tallystick/base/pure'
import { formatNewYork, type NotesReport, type PeriodReport } from '@tallystick/core'
import { formatOrigin } from '../curve/format-curve.ts'
import { type Layout, paintStatus } from '../terminal/layout.ts'
import { formatItems, formatTable, type ItemColumns } from '../terminal/table.ts'
import type { CheckedNote } from './verify-notes.ts'

/** Formats the notes on offer of each chain, or why there are none, and the state of the next period. */
export function formatNotesReport({ now, chains, rogue }: NotesReport, layout: Layout): string {
  const parts = chains.map(({ chainId, name, current, next }) => {
    const origin = (report: PeriodReport) => (report.curve ? [formatOrigin(report.curve, layout)] : [])
    return [
      layout.style.bold(`Chain ${chainId} (${name})`),
      `Now:  ${formatPeriodReport(current, layout)}`,
      ...formatNotes(current.notes, layout),
      ...origin(current),
      `Next: ${formatPeriodReport(next, layout)}`,
      ...(next.curve?.id === current.curve?.id ? [] : origin(next)),
    ].join('\n')
  })
  const wrong = rogue.map(
    ({ chainId, period, issuedAt, command }) =>
      `Chain ${chainId}: ${period} was signed by a wrong clock, at ${issuedAt}. Discard it: ${command}`,
  )
  return [`Service time ${now}`, ...parts, ...wrong].join('\n\n')
}

const checkedColumns: ItemColumns<CheckedNote> = [
  { heading: 'CHAIN', cell: ({ chainId }) => String(chainId) },
  { heading: 'MATURITY (NEW YORK)', cell: (note) => formatMaturity(note)[0] },
  { heading: 'UTC', cell: (note) => formatMaturity(note)[1], isOptional: true },
  { heading: 'COUPON', cell: ({ coupon }) => `${coupon} bps` },
  { heading: 'SIGNATURE', cell: ({ genuine }) => (genuine ? 'genuine' : 'NOT GENUINE'), paint: paintStatus },
  {
    heading: 'NOW',
    cell: ({ status, secondsLeft }) => (status === 'usable' ? `usable, ${formatLeft(secondsLeft)} left` : status),
  },
  { heading: 'WHY', cell: ({ reason }) => reason ?? '' },
]

function formatMaturity({ maturityTimestamp, times }: CheckedNote) {
  return formatTime(maturityTimestamp, times.maturity)
}

/** Formats notes of a file and whether they are genuine. */
export function formatCheckedNotes(notes: readonly CheckedNote[], layout: Layout): string {
  return formatItems(notes, { columns: checkedColumns, layout })
}

type ReportedNotes = NotesReport['chains'][number]['current']['notes']

/** Formats the notes of a set, then their validity, which all of them share. */
function formatNotes(notes: ReportedNotes, layout: Layout): string[] {
  const [first] = notes
  if (!first) return []
  const rows = notes.map((note) => [
    countOf(note.tenorDays, 'day'),
    `${note.coupon} bps`,
    ...formatTime(note.maturity_timestamp, note.times.maturity),
    `${note.signature.r.slice(0, 10)}…`,
  ])
  const validity = [
    ['after', ...formatTime(first.signature_valid_after, first.times.validAfter)],
    ['before', ...formatTime(first.signature_valid_before, first.times.validBefore)],
  ]
  return [
    formatTable(['TENOR', 'COUPON', 'MATURITY (NEW YORK)', 'UTC', 'SIGNATURE'], rows, layout),
    formatTable(['VALID', 'NEW YORK', 'UTC'], validity, layout),
  ]
}

/** Formats an instant in New York time and in UTC. One that no calendar has stays in Unix seconds. */
function formatTime(seconds: string, iso: string | null): [string, string] {
  return iso === null ? [`${seconds} s`, '-'] : [formatNewYork(BigInt(seconds)), iso]
}

function formatLeft(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function formatPeriodReport({ period, signed, issuedAt, signer, refusal }: PeriodReport, { style }: Layout): string {
  if (signed)
    return `${period}, signed ${issuedAt} by ${signer}${refusal ? style.red(`, WITHHELD: ${refusal.message}`) : ''}`
  if (refusal) return `${period}, ${style.red(`NOT SIGNED (${refusal.reason}): ${refusal.message}`)}`
  return `${period}, not signed yet`
}
