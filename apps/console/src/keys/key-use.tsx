import { type KeyReport, keyScopes } from '@tallystick/core'
import { formatCount, formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { type HourBar, layOutUse } from './lay-out-use.ts'

const step = 10
const height = 120

/** Renders the requests of a key by hour and endpoint, as bars and as a table. */
export function KeyUse({ report }: { readonly report: KeyReport }) {
  const { bars, highest } = layOutUse(report)
  const total = bars.reduce((sum, bar) => sum + bar.total, 0)
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  const summary = `${formatCount(total)} requests in ${bars.length} hours, at most ${formatCount(highest)} in one`
  return (
    <section class="card" aria-labelledby="use-heading">
      <h2 id="use-heading">Use in the last {bars.length} hours</h2>
      {total === 0 ? (
        <p class="muted use-none">No requests.</p>
      ) : (
        <>
          <p class="hint">{summary}. Those of another replica arrive up to a minute late.</p>
          <Legend report={report} />
          <svg
            class="use-bars block full"
            viewBox={`0 0 ${bars.length * step} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`Requests by hour: ${summary}. The table below has the figures.`}
          >
            {bars.map((bar, index) => (
              <g key={bar.at}>
                {bar.parts.map(({ scope, from, to }) => (
                  <rect
                    key={scope}
                    class={`use-${scope}`}
                    x={index * step + 1}
                    width={step - 2}
                    y={height * (1 - to)}
                    height={height * (to - from)}
                  />
                ))}
              </g>
            ))}
          </svg>
          <div class="flex apart hint" aria-hidden="true">
            <span>{formatIso(first.at)}</span>
            <span>{formatIso(last.at)}</span>
          </div>
          <details class="use-table">
            <summary>As a table</summary>
            <Table
              caption="Requests by hour, newest first"
              columns={columns}
              rows={bars.filter((bar) => bar.total > 0).toReversed()}
              keyOf={({ at }) => at}
              isCompact
            />
          </details>
        </>
      )}
    </section>
  )
}

const columns: readonly Column<HourBar>[] = [
  { title: 'Hour from', isHead: true, cell: ({ at }) => <time dateTime={at}>{formatIso(at)}</time> },
  ...keyScopes.map(
    (scope): Column<HourBar> => ({
      title: `/${scope}`,
      class: 'number',
      cell: ({ counts }) => formatCount(counts[scope]),
    }),
  ),
  { title: 'All', class: 'number', cell: ({ total }) => formatCount(total) },
]

function Legend({ report: { byScope } }: { readonly report: KeyReport }) {
  return (
    <ul class="row use-legend hint">
      {keyScopes.map((scope) => (
        <li key={scope}>
          <svg class="use-swatch" viewBox="0 0 10 10" aria-hidden="true">
            <rect class={`use-${scope}`} width="10" height="10" rx="2" />
          </svg>
          {`/${scope} ${formatCount(byScope[scope].reduce((sum, count) => sum + count, 0))}`}
        </li>
      ))}
    </ul>
  )
}
