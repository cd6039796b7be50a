import type { CurveView as Curve, CurveReport, NotesReport, ProposalView } from '@tallystick/core'
import { Notice } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { formatIso, formatPoints } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { ChainCurve } from './chain-curve.tsx'
import { CurveForm } from './curve-form.tsx'
import { Proposals } from './proposals.tsx'

const intervalMs = 10_000

/** Renders the coupons in force now and next, proposals, the form for a new curve, and earlier curves. */
export function CurveView({ api, canChange }: { readonly api: AdminApi; readonly canChange: boolean }) {
  const curve = useData<CurveReport>(api, '/curve', intervalMs)
  const notes = useData<NotesReport>(api, '/notes', intervalMs)
  const [done, setDone] = useState<string>()
  const finish = (text: string) => {
    setDone(text)
    curve.refresh()
    notes.refresh()
  }
  const nameOf = (chainId: number | null) =>
    chainId === null
      ? 'All chains'
      : (notes.value?.chains.find((chain) => chain.chainId === chainId)?.name ?? `Chain ${chainId}`)
  return (
    <DataState data={curve}>
      {(report) => (
        <div class="stack">
          {done ? <Done text={done} /> : null}
          {report.problem ? (
            <Notice tone="warn" title="The Treasury feed has no newer curve" text={report.problem} />
          ) : null}
          <Proposals
            api={api}
            canChange={canChange}
            proposals={report.proposals ?? []}
            nameOf={nameOf}
            onDone={(stored) => finish(describeStored(stored))}
          />
          <div class="curve-chains grid">
            {report.chains.map((chain) => (
              <ChainCurve
                key={chain.chainId}
                chain={chain}
                name={nameOf(chain.chainId)}
                next={notes.value?.chains.find(({ chainId }) => chainId === chain.chainId)?.next}
              />
            ))}
          </div>
          <CurveForm
            api={api}
            canChange={canChange}
            chains={report.chains}
            nameOf={nameOf}
            onDone={(result) =>
              finish(result.curve ? describeStored(result.curve) : describeProposed(result.proposal as ProposalView))
            }
          />
          <CurveHistory history={report.history} nameOf={nameOf} />
        </div>
      )}
    </DataState>
  )
}

function Done({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [text])
  return (
    <div ref={box} tabIndex={-1} class="done">
      <Notice tone="good" title={text} />
    </div>
  )
}

function describeStored({ id, effectiveFrom }: Curve): string {
  return `Curve ${id} is stored and in force from ${formatIso(effectiveFrom)}.`
}

function describeProposed({ id, expiresAt }: ProposalView): string {
  return `Proposal ${id} is stored and not in force: a second person must approve it before ${formatIso(expiresAt)}.`
}

type CurveHistoryProps = {
  readonly history: readonly Curve[]
  readonly nameOf: (chainId: number | null) => string
}

function CurveHistory({ history, nameOf }: CurveHistoryProps) {
  const columns: readonly Column<Curve>[] = [
    { title: 'Curve', isHead: true, cell: ({ id }) => id },
    { title: 'In force from', cell: ({ effectiveFrom }) => formatIso(effectiveFrom) },
    { title: 'For', cell: ({ chainId }) => nameOf(chainId) },
    {
      title: 'Coupons (days=bps)',
      cell: ({ points }) => <span class="mono">{formatPoints(points)}</span>,
    },
    { title: 'Source', cell: ({ source, confirmed }) => (confirmed ? `${source}, confirmed` : source) },
    { title: 'Set by', cell: ({ createdBy, createdAt }) => `${createdBy}, ${formatIso(createdAt)}` },
  ]
  if (history.length === 0) return null
  return (
    <details class="card">
      <summary>The last {history.length} curves</summary>
      <Table caption="The last 20 curves, newest first" columns={columns} rows={history} keyOf={({ id }) => id} />
    </details>
  )
}
