import { Inline } from '../text/inline.tsx'
import { Table } from '../text/table.tsx'
import type { Field } from './flatten-fields.ts'
import type { JsonSchema } from './openapi.ts'

/** Renders fields with their types, units, meanings and examples. */
export function FieldsTable({ label, fields }: { readonly label: string; readonly fields: readonly Field[] }) {
  const rows = fields.map(({ path, type, required, schema }) => [
    <>
      <code>{path}</code>
      <span class="sub">
        {type}
        {required ? ', required' : ''}
      </span>
    </>,
    <>
      <Inline text={meaningOf(schema)} />
      <Values schema={schema} />
    </>,
    schema.examples ? <code>{formatValue(schema.examples[0])}</code> : '',
  ])
  return <Table label={label} columns={['Name', 'Meaning', 'Example']} rows={rows} />
}

/** Returns the description with its unit in words: `[seconds]` at its end is a mark for tools. */
function meaningOf({ description = '', 'x-unit': unit }: JsonSchema): string {
  return unit === undefined ? description : `${description.replace(` [${unit}]`, '')} Unit: ${unit}.`
}

// Longer lists, such as the error codes, have their own page.
const valuesMax = 8

function Values({ schema: { enum: values = [] } }: { readonly schema: JsonSchema }) {
  if (values.length === 0 || values.length > valuesMax) return null
  return (
    <span class="sub">
      One of{' '}
      {values.map((value, index) => (
        <span key={String(value)}>
          {index > 0 ? ', ' : ''}
          <code>{formatValue(value)}</code>
        </span>
      ))}
    </span>
  )
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
