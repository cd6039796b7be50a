import { TableHead } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  readonly class?: 'number'
  /** Whether the cell names the row. */
  readonly isHead?: boolean
}

type TableProps<Row> = {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Whether it fits a narrow screen as it is. */
  readonly isCompact?: boolean
}

/** Renders a table. On a narrow screen each row becomes a card that repeats the titles. */
export function Table<Row>({ caption, columns, rows, keyOf, isCompact = false }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls in this box, which a keyboard must reach.
    <section class="table-box" aria-label={caption} tabIndex={0}>
      <table class={isCompact ? 'console-table full' : 'console-table full cards'}>
        <caption class="sr-only">{caption}</caption>
        <TableHead columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row={keyOf(row)}>
              {columns.map((column) => {
                const Cell = (column.isHead ? 'th' : 'td') as 'th'
                const scope = column.isHead ? 'row' : undefined
                return (
                  <Cell key={column.title} scope={scope} data-title={column.title} class={column.class}>
                    {column.cell(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
