import type { Finding, StatusReport } from '@tallystick/core'
import { Notice, Pill, useNow } from '@tallystick/ui'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { capitalize, formatIso, formatSeconds } from '../parts/format.ts'
import { ChainsTable } from './chains-table.tsx'

const intervalMs = 5_000

/** Renders what is wrong and what to do, the next boundary, and the chains. */
export function StatusView({ api }: { readonly api: AdminApi }) {
  const data = useData<StatusReport>(api, '/status', intervalMs)
  return (
    <DataState data={data}>
      {(status) => (
        <div class="stack">
          <Boundary status={status} offsetMs={Date.parse(status.now) - data.atMs} />
          <Findings findings={status.findings} />
          <section class="card" aria-labelledby="chains-heading">
            <h2 id="chains-heading">Chains</h2>
            <ChainsTable chains={status.chains} />
          </section>
        </div>
      )}
    </DataState>
  )
}

function Boundary({ status, offsetMs }: { readonly status: StatusReport; readonly offsetMs: number }) {
  const now = useNow(offsetMs)
  const left = Date.parse(status.boundary) / 1000 - now
  const unsigned = status.chains.filter(({ isNextSigned }) => !isNextSigned)
  const isSigned = unsigned.length === 0
  return (
    <dl class="card figures grid">
      <div>
        <dt class="hint">Service</dt>
        <dd>
          <ReadyPill status={status} />
        </dd>
        <dd class="hint">{formatIso(status.now)}</dd>
      </div>
      <div>
        <dt class="hint">Next boundary</dt>
        <dd class="figure-large" data-testid="boundary">
          {left > 0 ? formatSeconds(left) : 'now'}
        </dd>
        <dd class="hint">{formatIso(status.boundary)}</dd>
      </div>
      <div>
        <dt class="hint">Next period</dt>
        <dd>
          <Pill tone={isSigned ? 'good' : left < 300 ? 'bad' : 'calm'}>{isSigned ? 'Signed' : 'Not signed yet'}</Pill>
        </dd>
        <dd class="hint">
          {isSigned
            ? status.nextPeriod
            : `Notes are signed shortly before the boundary (rails.signAheadSeconds). Open: ${unsigned.map(({ name }) => name).join(', ')}`}
        </dd>
      </div>
    </dl>
  )
}

function ReadyPill({ status: { ready, degraded = false } }: { readonly status: StatusReport }) {
  if (!ready) return <Pill tone="bad">Not ready</Pill>
  return degraded ? <Pill tone="warn">Degraded</Pill> : <Pill tone="good">Ready</Pill>
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <section class="stack problems" aria-labelledby="problems-heading">
      <h2 id="problems-heading">Problems</h2>
      {findings.length === 0 ? (
        <Notice tone="good" title="The service knows of no problem">
          <code>tallystick doctor</code> also checks the installation from outside.
        </Notice>
      ) : null}
      {findings.map(({ subject, severity, message, remedy }) => (
        <Notice key={subject + message} tone={severity === 'warn' ? 'warn' : 'bad'} title={capitalize(subject)}>
          <p>{capitalize(message)}</p>
          <p class="advice">{remedy}</p>
        </Notice>
      ))}
    </section>
  )
}
