import { countOf } from '@tallystick/base/pure'
import type {
  CurveInForce,
  CurvePreviewReport,
  CurveProvenance,
  CurveReport,
  CurveView,
  ProposalView,
} from '@tallystick/core'
import { pickPoints } from '@tallystick/issuer'
import type { Layout } from '../terminal/layout.ts'
import { formatItems, formatTable, type ItemColumns } from '../terminal/table.ts'
import { drawCurve, sortedTenors } from './draw-curve.ts'

type Points = Readonly<Record<string, number>>

const basisNames = { discount: 'bank discount (act/360)', yield: 'coupon-equivalent (act/365, taken times 360/365)' }

// Width of the drawing in a file or a pipe.
const columnsDefault = 80

/** Formats the curves of each chain as drawing, table and source, then the earlier curves. */
export function formatCurveReport({ problem, chains, history, proposals = [] }: CurveReport, layout: Layout): string {
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
  const past =
    history.length === 0
      ? 'No curve was ever set: `tallystick curve set`.'
      : formatItems(history, { columns: historyColumns, layout })
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
  layout: Layout,
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

const billColumns: ItemColumns<CurveProvenance['bills'][number]> = [
  { heading: 'BILL', cell: ({ weeks }) => countOf(weeks, 'week') },
  { heading: 'TERM', cell: ({ days }) => countOf(days, 'day') },
  { heading: 'RATE', cell: ({ ratePercent }) => `${ratePercent} %` },
  { heading: 'PER 360 DAYS', cell: ({ bps }) => `${bps} bps` },
  { heading: 'CUSIP', cell: ({ cusip }) => cusip ?? '-' },
  { heading: 'MATURES', cell: ({ maturityDate }) => maturityDate ?? '-' },
]

/** Formats how coupons follow from published rates. */
function formatProvenance(provenance: CurveProvenance, layout: Layout): string {
  const { sourceDate, basis, spreadBps, interpolation, rounding, bills, missingBills } = provenance
  return [
    `    US Treasury bills of ${sourceDate}, ${basisNames[basis]}`,
    `    spread ${formatMove(spreadBps)} bps; ${interpolation}; rounded ${rounding}`,
    formatItems(bills, { columns: billColumns, layout: { ...layout, indent: '    ' } }),
    ...(missingBills.length > 0 ? [`    MISSING: ${missingBills.map((weeks) => `${weeks} weeks`).join(', ')}`] : []),
    `    fetched ${provenance.fetchedAt} from ${provenance.url}`,
    `    sha256 ${provenance.documentSha256}`,
  ].join('\n')
}

/** Formats who set a curve and its source. */
export function formatOrigin(curve: CurveView, layout: Layout): string {
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
  const rows = tenors.map((tenor) => formatChange(tenor, before[tenor], after[tenor]))
  return formatTable(['TENOR', beforeHeading, afterHeading, 'CHANGE (BPS)'], rows, { ...layout, indent: '  ' })
}

type Bps = number | null | undefined

/** Returns the cells of a coupon before and after a change. */
function formatChange(tenor: string | number, before: Bps, after: Bps): string[] {
  const show = (bps: Bps) => (bps == null ? '-' : `${bps} bps`)
  const change = before == null || after == null ? '-' : formatMove(after - before)
  return [countOf(Number(tenor), 'day'), show(before), show(after), change]
}

function formatMove(bps: number): string {
  return `${bps > 0 ? '+' : ''}${bps}`
}

const historyColumns: ItemColumns<CurveView> = [
  { heading: 'CURVE', cell: ({ id }) => id },
  { heading: 'FROM (NEW YORK)', cell: ({ effectiveFromNewYork }) => effectiveFromNewYork },
  { heading: 'CHAIN', cell: ({ chainId }) => String(chainId ?? 'all') },
  { heading: 'SOURCE', cell: ({ source }) => source },
  { heading: 'RATES OF', cell: ({ provenance }) => provenance?.sourceDate ?? '-', isOptional: true },
  { heading: 'CONFIRMED', cell: ({ confirmed }) => (confirmed ? 'yes' : 'no'), isOptional: true },
  { heading: 'SET BY', cell: ({ createdBy }) => createdBy },
  { heading: 'SET AT', cell: ({ createdAt }) => createdAt },
]

const verdicts: Readonly<Record<CurvePreviewReport['verdict'], string>> = {
  store: 'It would be stored.',
  propose: 'It would become a proposal: a second person must approve it (rails.fourEyesAboveBps).',
  confirm: 'It would NOT be stored without --confirm.',
  refuse: 'It would NOT be stored.',
}

/** Formats what setting a curve would change, and what the rails say. */
export function formatPreview({ chains, effectiveFromNewYork, verdict }: CurvePreviewReport, layout: Layout): string {
  const columns = ['TENOR', 'OLD', 'NEW', 'CHANGE (BPS)', 'WITHOUT --confirm']
  const parts = chains.map(({ chainId, tenors, refusal, warning }) =>
    [
      `Chain ${chainId}, from ${effectiveFromNewYork} New York`,
      formatTable(columns, tenors.map(formatTenor), { ...layout, indent: '  ' }),
      ...(refusal ? [layout.style.red(`  refused: ${refusal.message}`)] : []),
      ...(warning ? [layout.style.yellow(`  not signed at the boundary: ${warning.message}`)] : []),
    ].join('\n'),
  )
  return [...parts, `${verdicts[verdict]} Nothing was stored.`].join('\n\n')
}

type PreviewedTenor = CurvePreviewReport['chains'][number]['tenors'][number]

function formatTenor({ tenorDays, beforeBps, afterBps, bounds }: PreviewedTenor): string[] {
  const lowest = Math.max(...bounds.map(({ lowestBps }) => lowestBps))
  const highest = Math.min(...bounds.map(({ highestBps }) => highestBps))
  return [...formatChange(tenorDays, beforeBps, afterBps), `${lowest} to ${highest}`]
}
