import type { JsonSchema, MediaType, OpenapiDocument, OpenapiResponse } from '@tallystick/core'
import { type Field, flattenFields, typeOf } from './openapi/flatten-fields.ts'
import { type Endpoint, listFailures } from './openapi/openapi.ts'
import { Parts } from './parts.tsx'
import { EndpointExample } from './requests/example.tsx'
import { Code, Heading, Table } from './text/elements.tsx'
import { Inline, Paragraph } from './text/inline.tsx'
import { renderMarkdown } from './text/render-markdown.ts'

type EndpointProps = { readonly document: OpenapiDocument; readonly endpoint: Endpoint }

/** Renders an endpoint: description, examples, parameters, body, responses and errors. */
export function OperationView({ document, endpoint }: EndpointProps) {
  const { method, path, operation } = endpoint
  const { operationId: id, summary, description, requestBody, responses } = operation
  const label = `${method} ${path}`
  return (
    <article class="docs-operation" aria-labelledby={id}>
      <Heading level={2} id={id}>
        {summary}
      </Heading>
      <p class="row docs-route">
        <span class="docs-method">{method}</span> <code>{path}</code>
        <span class="pill tone-calm">{operation.security.length > 0 ? 'API key' : 'No key'}</span>
        {operation.deprecated ? <span class="pill tone-warn">Deprecated</span> : null}
      </p>
      <Parts parts={renderMarkdown(description, { label })} label={label} />
      <EndpointExample endpoint={endpoint} />
      <Parameters document={document} endpoint={endpoint} />
      {requestBody ? (
        <>
          <Heading level={3} id={`${id}-body`}>
            Request body
          </Heading>
          <Paragraph text={requestBody.description} />
          <Content document={document} content={requestBody.content} label={`Request body of ${label}`} />
        </>
      ) : null}
      {Object.entries(responses)
        .filter(([status]) => /^[23]/.test(status))
        .map(([status, response]) => (
          <ResponseView key={status} document={document} id={id} status={status} response={response} />
        ))}
      <Failures endpoint={endpoint} />
    </article>
  )
}

function Parameters({ document, endpoint: { method, path, operation } }: EndpointProps) {
  const { operationId: id, parameters = [] } = operation
  if (parameters.length === 0) return null
  const fields = parameters.map(({ name, in: place, required, description, schema }) => ({
    path: name,
    type: `${typeOf(document.components.schemas, schema)}, ${place}`,
    required,
    schema: { ...schema, description },
  }))
  return (
    <>
      <Heading level={3} id={`${id}-parameters`}>
        Parameters
      </Heading>
      <FieldsTable label={`Parameters of ${method} ${path}`} fields={fields} />
    </>
  )
}

type ResponseViewProps = {
  readonly document: OpenapiDocument
  readonly id: string
  readonly status: string
  readonly response: OpenapiResponse
}

function ResponseView({ document, id, status, response }: ResponseViewProps) {
  const { headers } = document.components
  const fields = Object.keys(response.headers ?? {}).map((name) => ({
    path: name,
    type: 'header',
    required: false,
    schema: { ...headers[name]?.schema, description: headers[name]?.description ?? '' },
  }))
  return (
    <>
      <Heading level={3} id={`${id}-${status}`}>
        Response {status}
      </Heading>
      <Paragraph text={response.description} />
      {response.content ? (
        <Content document={document} content={response.content} label={`Response ${status} of ${id}`} />
      ) : null}
      <details class="docs-fold">
        <summary>Headers</summary>
        <FieldsTable label={`Headers of response ${status} of ${id}`} fields={fields} />
      </details>
    </>
  )
}

type ContentProps = {
  readonly document: OpenapiDocument
  readonly content: Readonly<Record<string, MediaType>>
  readonly label: string
}

function Content({ document, content, label }: ContentProps) {
  return (
    <>
      {Object.entries(content).map(([type, { schema, examples = {} }]) => {
        const fields = flattenFields(document.components.schemas, { schema })
        return (
          <div key={type}>
            <p class="hint">
              <code>{type}</code>
            </p>
            {fields.length > 0 ? <FieldsTable label={`${label}, ${type}`} fields={fields} /> : null}
            {Object.entries(examples).map(([name, { summary, value }]) => (
              <details key={name} class="docs-fold">
                <summary>Example: {summary}</summary>
                {typeof value === 'string' ? (
                  <Code source={value} language="text" label={summary} />
                ) : (
                  <Code source={JSON.stringify(value, undefined, 2)} language="json" label={summary} />
                )}
              </details>
            ))}
          </div>
        )
      })}
    </>
  )
}

function Failures({ endpoint: { method, path, operation } }: { readonly endpoint: Endpoint }) {
  const rows = listFailures(operation).map(({ code, status, meaning }) => [
    <a key={code} href={`/docs/errors#error-${code}`}>
      <code>{code}</code>
    </a>,
    status,
    <Inline key={code} text={meaning} />,
  ])
  return (
    <>
      <Heading level={3} id={`${operation.operationId}-errors`}>
        Errors
      </Heading>
      <Table label={`Errors of ${method} ${path}`} columns={['Code', 'Status', 'Cause and fix']} rows={rows} />
    </>
  )
}

/** Renders fields with their types, units, meanings and examples. */
function FieldsTable({ label, fields }: { readonly label: string; readonly fields: readonly Field[] }) {
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
