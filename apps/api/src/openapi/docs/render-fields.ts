import type { JsonSchema } from '../document.ts'
import type { Field } from './flatten-fields.ts'
import { type Html, html } from './html.ts'
import { renderInline } from './render-markdown.ts'

/** Renders fields with their types, units, meanings and examples. */
export function renderFields(fields: readonly Field[]): Html {
  return renderTable(
    ['Name', 'Unit', 'Meaning', 'Example'],
    fields.map(({ path, type, required, schema }) => [
      html`<code>${path}</code><span class="small">${type}${required && ', required'}</span>`,
      renderInline(schema['x-unit'] ?? ''),
      html`${renderInline(meaningOf(schema))}${renderValues(schema)}`,
      schema.examples ? html`<code>${formatExample(schema.examples[0])}</code>` : html``,
    ]),
  )
}

/** Renders a table. On narrow screens its rows become cards, for which each cell has its column's name. */
export function renderTable(columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (cells) => html`<tr>${cells.map((cell, index) => html`<td data-label="${columns[index] ?? ''}">${cell}</td>`)}</tr>
`,
)}</tbody>
</table>
`
}

/** Returns the description without the unit, which has its own column. */
function meaningOf({ description = '', 'x-unit': unit }: JsonSchema): string {
  return description.replace(` [${unit}]`, '')
}

// Longer lists, such as the error codes, have their own section.
const valuesMax = 8

function renderValues({ enum: values = [] }: JsonSchema): Html | undefined {
  if (values.length === 0 || values.length > valuesMax) return undefined
  return html` <span class="small">One of ${values.map(
    (value, index) => html`${index > 0 && ', '}<code>${formatExample(value)}</code>`,
  )}.</span>`
}

function formatExample(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
