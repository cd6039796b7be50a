import { Button, ChoosableRow, TableHead } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SlotChoice } from './step-chart.tsx'

const initialRowCount = 14
// More rows at once would make the page slow.
const rowCountStep = 200

/** Row as it is shown. Without a slot it is not on the chart, so it cannot be chosen. */
type ShownRow = {
  /** Start of its slot. */
  readonly start: number | undefined
  readonly header: ComponentChildren
  readonly cells: readonly ComponentChildren[]
}

type HistoryTableProps<Row> = {
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly choice: SlotChoice
  readonly show: (row: Row) => ShownRow
}

/** Renders rows of figures, the first few of them until the visitor asks for more. A row chooses its slot of the chart. */
export function HistoryTable<Row>({ caption, columns, rows, choice, show }: HistoryTableProps<Row>) {
  const [count, setCount] = useState(initialRowCount)
  const rest = rows.length - count
  const chosen = choice.slots[choice.index]?.start
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label={caption}>
        <table class="numbers history-table">
          <caption>{caption}</caption>
          <TableHead columns={columns.map((title, index) => (index === 0 ? { title } : { title, class: 'number' }))} />
          <tbody>
            {rows.slice(0, count).map((row, index) => {
              const { start, header, cells } = show(row)
              return (
                <ChoosableRow
                  key={start ?? index}
                  group={caption}
                  isChosen={start !== undefined && start === chosen}
                  onChoose={start === undefined ? undefined : () => choice.onChoose(start)}
                  header={header}
                >
                  {cells.map((cell, column) => (
                    <td key={columns[column + 1]} class="number">
                      {cell}
                    </td>
                  ))}
                </ChoosableRow>
              )
            })}
          </tbody>
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
