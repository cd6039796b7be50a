import { TableHead } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'

type TableProps = {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** Renders a table. On narrow screens its rows become cards, for which each cell has the name of its column. */
export function Table({ label, columns, rows }: TableProps) {
  return (
    <table class="docs-table">
      <caption class="sr-only">{label}</caption>
      <TableHead columns={columns.map((title) => ({ title }))} />
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, index) => (
              <td key={columns[index]} data-label={columns[index]}>
                <div>{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
