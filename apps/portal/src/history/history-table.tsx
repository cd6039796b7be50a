import { Button, TableHead } from '@tallystick/ui'
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
          <TableHead columns={columns.map((title, index) => (index === 0 ? { title } : { title, class: 'number' }))} />
          <tbody>{rows.slice(0, count).map(renderRow)}</tbody>
        </table>
      </section>
      {rest > 0 ? (
        <Button
          class="quiet more"
          label={
            rest > rowCountStep
              ? `Show ${rowCountStep} more of ${rest.toLocaleString('en-US')}`
              : `Show all ${rows.length}`
          }
          onClick={() => setCount(count + rowCountStep)}
        />
      ) : null}
    </>
  )
}
