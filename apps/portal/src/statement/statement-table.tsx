import { TableHead } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'

type StatementTableProps = {
  readonly title: string
  /** The first one names a row, all others have figures. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
  readonly total: readonly ComponentChildren[]
}

/** Renders all rows, because a document that is printed has no button for more. Renders nothing without rows. */
export function StatementTable({ title, columns, rows, total }: StatementTableProps) {
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section class="table-scroll" tabIndex={0} aria-label={title}>
      <table class="numbers statement-table">
        <caption>
          <strong>{title}</strong> ({rows.length.toLocaleString('en-US')})
        </caption>
        <TableHead
          columns={columns.map((name, index) => (index === 0 ? { title: name } : { title: name, class: 'number' }))}
        />
        <tbody>
          {rows.map((row, index) => (
            <Row key={index} cells={row} />
          ))}
        </tbody>
        <tfoot>
          <Row cells={total} />
        </tfoot>
      </table>
    </section>
  )
}

function Row({ cells: [name, ...rest] }: { readonly cells: readonly ComponentChildren[] }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {rest.map((cell, index) => (
        <td key={index} class="number">
          {cell}
        </td>
      ))}
    </tr>
  )
}
