import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

const initialRowCount = 14
// More rows at once would make the page slow.
const rowCountStep = 200

type HistoryTableProps<Row> = {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Renders a `tr` with a key. */
  readonly renderRow: (row: Row) => ComponentChildren
}

/** Renders rows of figures, the first few of them until the visitor asks for more. */
export function HistoryTable<Row>({ caption, columns, rows, renderRow }: HistoryTableProps<Row>) {
  const [count, setCount] = useState(initialRowCount)
  const rest = rows.length - count
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label={caption}>
        <table class={columns.length > 2 ? 'numbers history-table' : 'numbers history-table is-short'}>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map((name, index) => (
                <th key={name} scope="col" class={index === 0 ? undefined : 'number'}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.slice(0, count).map(renderRow)}</tbody>
        </table>
      </section>
      {rest > 0 ? (
        <button type="button" class="quiet more" onClick={() => setCount(count + rowCountStep)}>
          {rest > rowCountStep
            ? `Show ${rowCountStep} more of ${rest.toLocaleString('en-US')}`
            : `Show all ${rows.length}`}
        </button>
      ) : null}
    </>
  )
}
