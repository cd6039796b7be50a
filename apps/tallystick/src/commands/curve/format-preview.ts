import type { CurvePreviewReport } from '@tallystick/core'
import { type Layout, plainLayout } from '../terminal/layout.ts'
import { formatTable } from '../terminal/table.ts'

const verdicts: Readonly<Record<CurvePreviewReport['verdict'], string>> = {
  store: 'It would be stored.',
  propose: 'It would become a proposal: a second person must approve it (rails.fourEyesAboveBps).',
  confirm: 'It would NOT be stored without --confirm.',
  refuse: 'It would NOT be stored.',
}

/** Formats what setting a curve would change, and what the rails say. */
export function formatPreview(
  { chains, effectiveFromNewYork, verdict }: CurvePreviewReport,
  layout: Layout = plainLayout,
): string {
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

function formatTenor({
  tenorDays,
  beforeBps,
  afterBps,
  changeBps,
  bounds,
}: CurvePreviewReport['chains'][number]['tenors'][number]): string[] {
  const show = (bps: number | null) => (bps === null ? '-' : `${bps} bps`)
  const change = changeBps === null ? '-' : `${changeBps > 0 ? '+' : ''}${changeBps}`
  const lowest = Math.max(...bounds.map(({ lowestBps }) => lowestBps))
  const highest = Math.min(...bounds.map(({ highestBps }) => highestBps))
  return [`${tenorDays} days`, show(beforeBps), show(afterBps), change, `${lowest} to ${highest}`]
}
