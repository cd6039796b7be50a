import type { CurvePreviewReport, TenorPreviewReport } from '@tallystick/core'
import { type Action, Button, Notice, type Tone } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ActionError } from '../parts/dialog.tsx'
import { capitalize, formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { formatBps, formatChange } from './chain-curve.tsx'

const verdicts: Readonly<Record<CurvePreviewReport['verdict'], { readonly tone: Tone; readonly title: string }>> = {
  store: { tone: 'good', title: 'The rails accept this curve' },
  propose: { tone: 'warn', title: 'This curve will be a proposal: a second person must approve it' },
  confirm: { tone: 'warn', title: 'The rails refuse this curve unless you confirm it' },
  refuse: { tone: 'bad', title: 'The rails refuse this curve' },
}

type CurvePreviewProps = {
  readonly preview: CurvePreviewReport
  /** Undefined if the token may not set a curve. */
  readonly store: Action<boolean> | undefined
}

/** Renders what a curve would change on each chain, what the rails allow, and the button that stores it. */
export function CurvePreview({ preview, store }: CurvePreviewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [isConfirmed, setIsConfirmed] = useState(false)
  useEffect(() => heading.current?.focus(), [])
  const { verdict, chains, effectiveFrom, needsApproval } = preview
  const needsTick = verdict === 'confirm'
  return (
    <div class="stack preview ruled-top">
      <h3 ref={heading} tabIndex={-1}>
        Preview: in force from {formatIso(effectiveFrom)}
      </h3>
      {chains.map(({ chainId, name, tenors, refusal, warning }) => (
        <div key={chainId}>
          <h4>
            {name} <span class="muted">{chainId}</span>
          </h4>
          <Table
            caption={`Change of the coupons of ${name}`}
            columns={columns}
            rows={tenors}
            keyOf={({ tenorDays }) => String(tenorDays)}
          />
          {refusal ? (
            <p class="field-fault">
              {capitalize(refusal.message).replace(/ If this is intended, confirm it with `.*`\./, '')}
            </p>
          ) : null}
          {warning ? <p class="field-fault">It would not be signed at the boundary: {warning.message}</p> : null}
        </div>
      ))}
      <Notice {...verdicts[verdict]}>
        {needsTick && needsApproval ? 'It then becomes a proposal that a second person must approve.' : null}
        {verdict === 'refuse' ? 'A confirmation does not help. Change the coupons.' : null}
      </Notice>
      {store && needsTick ? (
        <label class="check">
          <input type="checkbox" checked={isConfirmed} onChange={() => setIsConfirmed(!isConfirmed)} /> I have checked
          these coupons. Store them although they move further than the rails allow.
        </label>
      ) : null}
      {store ? <ActionError action={store} /> : null}
      {store && verdict !== 'refuse' ? (
        <div>
          <Button
            class="primary"
            label={store.isRunning ? 'Storing…' : needsApproval ? 'Store the proposal' : 'Store this curve'}
            disabled={store.isRunning || (needsTick && !isConfirmed)}
            onClick={() => store.run(isConfirmed)}
          />
        </div>
      ) : null}
    </div>
  )
}

const columns: readonly Column<TenorPreviewReport>[] = [
  { title: 'Tenor', isHead: true, cell: ({ tenorDays }) => `${tenorDays} days` },
  { title: 'Old', class: 'number', cell: ({ beforeBps }) => formatBps(beforeBps) },
  { title: 'New', class: 'number', cell: ({ afterBps }) => formatBps(afterBps) },
  { title: 'Change', class: 'number', cell: ({ beforeBps, afterBps }) => formatChange(beforeBps, afterBps) },
  { title: 'The rails allow', cell: (tenor) => <Allowed tenor={tenor} /> },
]

/** Renders the range that all rails allow without a confirmation, and the rails that the new coupon breaks. */
function Allowed({ tenor: { beforeBps, afterBps, bounds } }: { readonly tenor: TenorPreviewReport }) {
  const lowest = Math.max(...bounds.map(({ lowestBps }) => lowestBps))
  const highest = Math.min(...bounds.map(({ highestBps }) => highestBps))
  const broken = bounds.filter(
    ({ lowestBps, highestBps }) => afterBps !== null && (afterBps < lowestBps || afterBps > highestBps),
  )
  return (
    <>
      <span class="row allowed">
        {lowest > highest ? 'nothing' : `${lowest} to ${highest}`}
        <RangeBar lowest={lowest} highest={highest} before={beforeBps} after={afterBps} />
      </span>
      {broken.map(({ rail, lowestBps, highestBps }) => (
        <span key={rail} class="sub cell-hint bad">{`${rail}: ${lowestBps} to ${highestBps}`}</span>
      ))}
    </>
  )
}

const width = 110
const height = 14

type RangeBarProps = {
  readonly lowest: number
  readonly highest: number
  readonly before: number | null
  readonly after: number | null
}

/** Renders a range, the old coupon as a line and the new one as a dot. It is decorative: the numbers stand next to it. */
function RangeBar({ lowest, highest, before, after }: RangeBarProps) {
  const values = [lowest, highest, before, after].filter((value) => value !== null)
  const [from, to] = [Math.min(...values), Math.max(...values)]
  const place = (value: number) => 6 + ((value - from) / Math.max(1, to - from)) * (width - 12)
  const isInside = after !== null && after >= lowest && after <= highest
  return (
    <svg class="range-bar" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect
        class="range-allowed"
        x={place(lowest)}
        y={4}
        width={Math.max(1, place(highest) - place(lowest))}
        height={6}
        rx={3}
      />
      {before === null ? null : <rect class="range-before" x={place(before) - 0.75} y={1} width={1.5} height={12} />}
      {after === null ? null : (
        <circle class={isInside ? 'range-after' : 'range-after range-broken'} cx={place(after)} cy={7} r={4} />
      )}
    </svg>
  )
}
