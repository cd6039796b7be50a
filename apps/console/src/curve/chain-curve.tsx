import type { ChainCurves, CurveInForce, PeriodReport } from '@tallystick/core'
import { Notice, Pill } from '@tallystick/ui'
import { capitalize, formatIso } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'

type ChainCurveProps = {
  readonly chain: ChainCurves
  readonly name: string
  /** State of the next period. Undefined while it loads. */
  readonly next: PeriodReport | undefined
}

/** Renders the coupons of a chain now and next, and whether the next period is signed. */
export function ChainCurve({ chain: { chainId, tenors, current, next }, name, next: report }: ChainCurveProps) {
  const heading = `curve-${chainId}`
  return (
    <section class="card" aria-labelledby={heading}>
      <h2 id={heading}>
        {name} <span class="muted">{chainId}</span>
      </h2>
      <div class="curve-states grid">
        <State title="Now" state={current} />
        <State title="Next" state={next} />
      </div>
      {report?.refusal ? (
        <Notice
          tone={report.signed ? 'warn' : 'bad'}
          title={report.signed ? 'The next period is withheld' : 'The next period cannot be signed'}
        >
          {capitalize(report.refusal.message)}
        </Notice>
      ) : null}
      <Table
        caption={`Coupons of ${name}`}
        columns={[
          { title: 'Tenor', isHead: true, cell: (tenor) => `${tenor} days` },
          { title: 'Now', class: 'number', cell: (tenor) => formatBps(current.curve?.points[tenor]) },
          { title: 'Next', class: 'number', cell: (tenor) => formatBps(next.curve?.points[tenor]) },
          {
            title: 'Change',
            class: 'number',
            cell: (tenor) => formatChange(current.curve?.points[tenor], next.curve?.points[tenor]),
          },
        ]}
        rows={tenors}
        keyOf={String}
        isCompact
      />
    </section>
  )
}

function State({ title, state: { period, signed, curve } }: { readonly title: string; readonly state: CurveInForce }) {
  return (
    <div>
      <p>
        <strong>{title}</strong> <Pill tone={signed ? 'good' : 'calm'}>{signed ? 'Signed' : 'Not signed yet'}</Pill>
      </p>
      <p>{period}</p>
      <p class="hint">
        {curve
          ? `Curve ${curve.id}, ${curve.source}${curve.provenance ? ` rates of ${curve.provenance.sourceDate}` : ''}, by ${curve.createdBy}, ${formatIso(curve.createdAt)}`
          : 'No curve is in force.'}
      </p>
    </div>
  )
}

export function formatBps(bps: number | null | undefined): string {
  return bps == null ? '–' : `${bps} bps`
}

export function formatChange(before: number | null | undefined, after: number | null | undefined): string {
  if (before == null || after == null) return '–'
  const change = after - before
  return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${Math.abs(change)}`
}
