import type { JsonSchema } from '../document.ts'
import type { Field } from './flatten-fields.ts'
import { type Html, html } from './html.ts'
import { renderInline } from './render-markdown.ts'

/** Fields with their types, units, meanings and examples. */
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

/** A table that becomes a list of cards where there is no room for columns: each cell knows its column's name. */
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

/** The unit has a column of its own. */
function meaningOf({ description = '', 'x-unit': unit }: JsonSchema): string {
  return description.replace(` [${unit}]`, '')
}

// More than these (the error codes) have a place of their own.
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
