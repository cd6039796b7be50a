import { displayWidth, escapeControls, padEnd, splitPieces, wrapText } from './display-width.ts'
import type { Layout, Style } from './layout.ts'

type Column = {
  readonly heading: string
  /** The column is left out if the terminal is too narrow for all, the last such column first. */
  readonly isOptional?: boolean
  readonly paint?: (cell: string, style: Style) => string
}

/** Columns of a list of items. */
export type ItemColumns<Item> = readonly (Column & { readonly cell: (item: Item) => string })[]

type TableLayout = Layout & { readonly indent?: string | undefined }
type Rows = readonly (readonly string[])[]

const gap = '  '
// A longer word, such as an address, is broken rather than that the table becomes a list.
const wordWidthMax = 24

/**
 * Formats rows under their headings, with aligned columns. On a terminal that is too narrow, cells are broken into
 * lines, then optional columns are left out, and at last each row becomes a list. No value is ever cut. A column that is
 * a text is its heading.
 */
export function formatTable(given: readonly (Column | string)[], rows: Rows, layout: TableLayout): string {
  const columns = given.map((column) => (typeof column === 'string' ? { heading: column } : column))
  const indent = layout.indent ?? ''
  const cells = rows.map((row) => row.map(escapeControls))
  const limit = (layout.columns ?? Number.POSITIVE_INFINITY) - indent.length
  const shown = chooseColumns(columns, { cells, limit })
  const lines = shown
    ? formatGrid(shown, { cells, style: layout.style })
    : cells.flatMap((row, index) => [
        ...(index > 0 ? [''] : []),
        ...formatRecord(columns, { row, limit, style: layout.style }),
      ])
  const missing = columns.filter((_, index) => shown && !shown.some((column) => column.index === index))
  if (missing.length > 0) {
    const text = `Not shown: ${missing.map(({ heading }) => heading).join(', ')}. Use a wider terminal or --json.`
    lines.push(...wrapText(text, limit).map(layout.style.dim))
  }
  return lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
}

/** Formats items as the rows of a table. */
export function formatItems<Item>(
  items: readonly Item[],
  { columns, layout }: { readonly columns: ItemColumns<Item>; readonly layout: TableLayout },
): string {
  const rows = items.map((item) => columns.map(({ cell }) => cell(item)))
  return formatTable(columns, rows, layout)
}

type ShownColumn = { readonly index: number; readonly width: number; readonly column: Column }
type Grid = { readonly cells: Rows; readonly limit: number }

/** Returns the columns that fit with their widths, or undefined if not even those fit that must be shown. */
function chooseColumns(columns: readonly Column[], { cells, limit }: Grid): ShownColumn[] | undefined {
  const all = columns.map((column, index) => {
    const texts = [column.heading, ...cells.map((row) => row[index] ?? '')]
    const words = texts.flatMap(splitPieces).map((piece) => displayWidth(piece.trimEnd()))
    const natural = Math.max(...texts.map(displayWidth))
    return { index, column, natural, least: Math.min(Math.max(...words), wordWidthMax) }
  })
  const optional = all.filter(({ column }) => column.isOptional)
  for (let dropped = 0; dropped <= optional.length; dropped++) {
    const left = all.filter((column) => !optional.slice(optional.length - dropped).includes(column))
    const widths = shareWidth(left, limit - gap.length * (left.length - 1))
    if (widths) return left.map(({ index, column }, place) => ({ index, column, width: widths[place] as number }))
  }
  return undefined
}

/** Gives each column its natural width up to one common maximum, or its least width if that is more. */
function shareWidth(
  columns: readonly { readonly natural: number; readonly least: number }[],
  available: number,
): number[] | undefined {
  const widest = Math.max(0, ...columns.map(({ natural }) => natural))
  for (let most = Math.min(widest, Math.max(available, 1)); most > 0; most--) {
    const widths = columns.map(({ natural, least }) => Math.min(natural, Math.max(least, most)))
    if (widths.reduce((sum, width) => sum + width, 0) <= available) return widths
  }
  return undefined
}

function formatGrid(
  columns: readonly ShownColumn[],
  { cells, style }: { readonly cells: Rows; readonly style: Style },
): string[] {
  const format = (row: (column: ShownColumn) => string, paint: (text: string, column: Column) => string) => {
    const wrapped = columns.map((column) => wrapText(row(column), column.width))
    const height = Math.max(...wrapped.map((lines) => lines.length))
    return Array.from({ length: height }, (_, line) => {
      const texts = wrapped.map((lines) => lines[line] ?? '')
      const last = texts.findLastIndex((text) => text !== '')
      return texts
        .slice(0, last + 1)
        .map((text, place) => {
          const { width, column } = columns[place] as ShownColumn
          return paint(text, column) + (place === last ? '' : padEnd(text, width).slice(text.length))
        })
        .join(gap)
    })
  }
  return [
    ...format(
      ({ column }) => column.heading,
      (text) => style.bold(text),
    ),
    ...cells.flatMap((row) =>
      format(
        ({ index }) => row[index] ?? '',
        (text, { paint }) => paint?.(text, style) ?? text,
      ),
    ),
  ]
}

/** Formats a row as a list of headings and values. */
function formatRecord(
  columns: readonly Column[],
  { row, limit, style }: { readonly row: readonly string[]; readonly limit: number; readonly style: Style },
): string[] {
  const labelWidth = Math.max(...columns.map(({ heading }) => displayWidth(heading)))
  const width = Math.max(limit - labelWidth - gap.length, 8)
  return columns.flatMap(({ heading, paint }, index) =>
    wrapText(row[index] ?? '', width).map((text, line) => {
      const label = padEnd(line === 0 ? heading : '', labelWidth)
      return text === '' ? style.bold(label.trimEnd()) : style.bold(label) + gap + (paint?.(text, style) ?? text)
    }),
  )
}
