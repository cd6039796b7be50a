import type { CurveInForce, CurveProvenance, CurveReport, CurveView, ProposalView } from '@tallystick/core'
import { pickPoints } from '@tallystick/issuer'
import { type Layout, plainLayout } from '../terminal/layout.ts'
import { formatTable } from '../terminal/table.ts'
import { drawCurve, sortedTenors } from './draw-curve.ts'

type Points = Readonly<Record<string, number>>

const basisNames = { discount: 'bank discount (act/360)', yield: 'coupon-equivalent (act/365, taken times 360/365)' }

// Width of the drawing in a file or a pipe.
const columnsDefault = 80

/** Formats the curves of each chain as drawing, table and source, then the earlier curves. */
export function formatCurveReport(
  { problem, chains, history, proposals = [] }: CurveReport,
  layout: Layout = plainLayout,
): string {
  const { style, columns = columnsDefault } = layout
  const parts = chains.map(({ chainId, tenors, current, next }) => {
    const [now, then] = [current, next].map(({ curve }) => pickPoints(curve?.points ?? {}, tenors)) as [Points, Points]
    return [
      style.bold(`Chain ${chainId}`),
      `  now   ${formatInForce(current)}${formatLeftOut(current, tenors)}`,
      `  next  ${formatInForce(next)}${formatLeftOut(next, tenors)}`,
      drawCurve({ now, next: then, columns }),
      formatChanges({ before: now, after: then, layout }, ['NOW', 'NEXT']),
      ...formatOrigins([current.curve, next.curve], layout),
    ]
      .filter((part) => part !== '')
      .join('\n')
  })
  const past = history.length === 0 ? 'No curve was ever set: `tallystick curve set`.' : formatHistory(history, layout)
  const waiting = proposals.length > 0 ? [formatProposals(proposals)] : []
  return [...(problem ? [style.red(`PROBLEM: ${problem}`)] : []), ...parts, ...waiting, past].join('\n\n')
}

/** Formats proposals that a second person must approve. */
export function formatProposals(proposals: readonly ProposalView[]): string {
  return proposals
    .map(({ id, chainId, points, proposedBy, effectiveFromNewYork, expiresAt }) =>
      [
        `Proposal ${id} by ${proposedBy} is NOT IN FORCE: a second person must approve it (rails.fourEyesAboveBps).`,
        `  chain ${chainId ?? 'all'}, from ${effectiveFromNewYork} New York`,
        formatPoints(points),
        `  Approve it with another admin token before ${expiresAt}: tallystick curve approve ${id}`,
      ].join('\n'),
    )
    .join('\n\n')
}

/** Formats the changes of a new curve for each of its chains, against the curve it replaces. */
export function formatDifference(
  { chains }: CurveReport,
  { points, chainId }: { readonly points: Points; readonly chainId: number | null },
  layout: Layout = plainLayout,
): string {
  return chains
    .filter((chain) => chainId === null || chain.chainId === chainId)
    .map(({ chainId: id, tenors, current, next }) => {
      const replaced = current.isFixed ? next : current
      const [before, after] = [pickPoints(replaced.curve?.points ?? {}, tenors), pickPoints(points, tenors)]
      return `Chain ${id}, ${replaced.period}\n${formatChanges({ before, after, layout }, ['OLD', 'NEW'])}`
    })
    .join('\n\n')
}

export function formatPoints(points: Points): string {
  return sortedTenors(points)
    .map((tenor) => `  ${tenor.padStart(4)} days  ${String(points[tenor]).padStart(5)} bps`)
    .join('\n')
}

/** Formats how coupons follow from published rates. */
function formatProvenance(provenance: CurveProvenance, layout: Layout = plainLayout): string {
  const { sourceDate, basis, spreadBps, interpolation, rounding, bills, missingBills } = provenance
  const rows = bills.map(({ weeks, days, ratePercent, bps, cusip, maturityDate }) => [
    `${weeks} weeks`,
    `${days} days`,
    `${ratePercent} %`,
    `${bps} bps`,
    cusip ?? '-',
    maturityDate ?? '-',
  ])
  return [
    `    US Treasury bills of ${sourceDate}, ${basisNames[basis]}`,
    `    spread ${formatMove(spreadBps)} bps; ${interpolation}; rounded ${rounding}`,
    formatTable(['BILL', 'TERM', 'RATE', 'PER 360 DAYS', 'CUSIP', 'MATURES'], rows, { ...layout, indent: '    ' }),
    ...(missingBills.length > 0 ? [`    MISSING: ${missingBills.map((weeks) => `${weeks} weeks`).join(', ')}`] : []),
    `    fetched ${provenance.fetchedAt} from ${provenance.url}`,
    `    sha256 ${provenance.documentSha256}`,
  ].join('\n')
}

/** Formats who set a curve and its source. */
export function formatOrigin(curve: CurveView, layout: Layout = plainLayout): string {
  const author = `  curve ${curve.id}: ${curve.source}, by ${curve.createdBy} at ${curve.createdAt}`
  return curve.provenance ? `${author}\n${formatProvenance(curve.provenance, layout)}` : author
}

function formatInForce({ period, signed, curve }: CurveInForce): string {
  return `${period}${signed ? ' (signed)' : ''}: ${curve ? `curve ${curve.id}` : 'no curve'}`
}

/** Formats the tenors of the chain for which the curve has no coupon. */
function formatLeftOut({ curve }: CurveInForce, tenors: readonly number[]): string {
  const leftOut = tenors.filter((tenor) => curve && curve.points[tenor] === undefined)
  return leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')} days`
}

function formatOrigins(curves: readonly (CurveView | null)[], layout: Layout): string[] {
  const byId = new Map(curves.flatMap((curve) => (curve ? [[curve.id, curve] as const] : [])))
  return [...byId.values()].map((curve) => formatOrigin(curve, layout))
}

function formatChanges(
  { before, after, layout }: { readonly before: Points; readonly after: Points; readonly layout: Layout },
  [beforeHeading, afterHeading]: readonly [string, string],
): string {
  const tenors = sortedTenors(before, after)
  if (tenors.length === 0) return ''
  const show = (bps: number | undefined) => (bps === undefined ? '-' : `${bps} bps`)
  const rows = tenors.map((tenor) => {
    const [from, to] = [before[tenor], after[tenor]]
    const change = from === undefined || to === undefined ? '-' : formatMove(to - from)
    return [`${tenor} days`, show(from), show(to), change]
  })
  return formatTable(['TENOR', beforeHeading, afterHeading, 'CHANGE (BPS)'], rows, { ...layout, indent: '  ' })
}

function formatMove(bps: number): string {
  return `${bps > 0 ? '+' : ''}${bps}`
}

const historyColumns = [
  'CURVE',
  'FROM (NEW YORK)',
  'CHAIN',
  'SOURCE',
  { heading: 'RATES OF', isOptional: true },
  { heading: 'CONFIRMED', isOptional: true },
  'SET BY',
  'SET AT',
]

function formatHistory(history: readonly CurveView[], layout: Layout): string {
  return formatTable(
    historyColumns,
    history.map((curve) => [
      curve.id,
      curve.effectiveFromNewYork,
      curve.chainId === null ? 'all' : String(curve.chainId),
      curve.source,
      curve.provenance?.sourceDate ?? '-',
      curve.confirmed ? 'yes' : 'no',
      curve.createdBy,
      curve.createdAt,
    ]),
    layout,
  )
}
