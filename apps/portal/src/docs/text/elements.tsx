import { TableHead } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { highlight } from './highlight.ts'

type HeadingProps = {
  readonly level: number
  readonly id: string
  readonly children: ComponentChildren
}

/** Renders a heading with a link to itself. */
export function Heading({ level, id, children }: HeadingProps) {
  const Tag = `h${level}` as 'h2'
  return (
    <Tag id={id} class="docs-heading">
      <a href={`#${id}`}>{children}</a>
    </Tag>
  )
}

type TableProps = {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** Renders a table. On narrow screens its rows become cards, for which each cell has the name of its column. */
export function Table({ label, columns, rows }: TableProps) {
  return (
    <table class="docs-table full">
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

type CodeProps = {
  readonly source: string
  readonly language: string
  readonly label: string
}

/** Renders code with colours. It can be scrolled with the keyboard. */
export function Code({ source, language, label }: CodeProps) {
  const tokens = highlight(source, language)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard.
    <pre class="docs-code" tabIndex={0} role="group" aria-label={label}>
      <code>
        {tokens.map(({ kind, text }, index) =>
          kind === 'plain' ? (
            text
          ) : (
            <span key={index} style={{ color: `var(--code-${kind === 'name' ? 'type' : kind})` }}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  )
}
