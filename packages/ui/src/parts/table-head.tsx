import type { ComponentChildren } from 'preact'

type TableHeadProps = { readonly columns: readonly { readonly title: ComponentChildren; readonly class?: string }[] }

/** Renders the titles of the columns of a table. */
export function TableHead({ columns }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {columns.map((column, index) => (
          <th key={index} scope="col" class={column.class}>
            {column.title}
          </th>
        ))}
      </tr>
    </thead>
  )
}
