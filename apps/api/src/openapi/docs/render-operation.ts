import type { MediaType, OpenapiDocument, Operation, Parameter, Response } from '../document.ts'
import { flattenFields, typeOf } from './flatten-fields.ts'
import { type Html, html } from './html.ts'
import type { Endpoint } from './list-endpoints.ts'
import { listFailures } from './list-failures.ts'
import { renderFields, renderTable } from './render-fields.ts'
import { renderJson } from './render-json.ts'
import { renderInline, renderMarkdown } from './render-markdown.ts'

type Schemas = OpenapiDocument['components']['schemas']

/** Renders an endpoint with its description, samples, parameters, responses and errors. */
export function renderOperation({ components }: OpenapiDocument, { method, path, operation }: Endpoint): Html {
  const { operationId: id, summary, description, deprecated, security } = operation
  return html`<article aria-labelledby="${id}">
<h3 id="${id}"><span class="method">${method}</span> <code>${path}</code></h3>
<p class="lead">${summary}.${deprecated && html` <strong class="badge">Deprecated</strong>`}
<span class="small">${security.length > 0 ? 'Requires an API key.' : 'Requires no API key.'}</span></p>
${renderMarkdown(description)}
${operation['x-codeSamples'].map(
  ({
    label,
    source,
  }) => html`<figure><figcaption>${label}</figcaption><pre tabindex="0"><code>${source}</code></pre></figure>
`,
)}${renderParameters(components.schemas, { id, parameters: operation.parameters ?? [] })}
${renderBody(components.schemas, operation)}
${Object.entries(operation.responses)
  .filter(([status]) => /^[23]/.test(status))
  .map(([status, response]) => renderResponse(components, { id, status, response }))}
${renderFailures(operation)}
</article>
`
}

function renderParameters(
  schemas: Schemas,
  { id, parameters }: { readonly id: string; readonly parameters: readonly Parameter[] },
): Html | undefined {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
    path: name,
    type: `${typeOf(schemas, schema)}, ${place}`,
    required,
    schema: { ...schema, description },
  }))
  return html`<h4 id="${id}-parameters">Parameters</h4>
${renderFields(rows)}`
}

function renderBody(schemas: Schemas, { operationId: id, requestBody }: Operation): Html | undefined {
  if (!requestBody) return undefined
  return html`<h4 id="${id}-body">Request body</h4>
<p>${renderInline(requestBody.description)}</p>
${renderContent(schemas, requestBody.content)}`
}

function renderResponse(
  { schemas, headers }: OpenapiDocument['components'],
  { id, status, response }: { readonly id: string; readonly status: string; readonly response: Response },
): Html {
  const rows = Object.keys(response.headers ?? {}).map((name) => ({
    path: name,
    type: 'header',
    required: false,
    schema: { ...headers[name]?.schema, description: headers[name]?.description ?? '' },
  }))
  return html`<h4 id="${id}-${status}">Response ${status}</h4>
<p>${renderInline(response.description)}</p>
${response.content && renderContent(schemas, response.content)}
<details><summary>Headers</summary>
${renderFields(rows)}</details>
`
}

function renderContent(schemas: Schemas, content: Readonly<Record<string, MediaType>>): readonly Html[] {
  return Object.entries(content).map(([type, { schema, examples = {} }]) => {
    const fields = flattenFields(schemas, { schema })
    return html`<p class="small"><code>${type}</code></p>
${fields.length > 0 && renderFields(fields)}
${Object.values(examples).map(
  ({ summary, value }) => html`<figure><figcaption>${summary}</figcaption>${renderExample(value)}</figure>
`,
)}`
  })
}

/** Renders an example. A text, such as CSV, is shown as it is. */
function renderExample(value: unknown): Html {
  return typeof value === 'string' ? html`<pre tabindex="0"><code>${value}</code></pre>` : renderJson(value)
}

function renderFailures(operation: Operation): Html {
  const rows = listFailures(operation).map(({ code, status, meaning }) => [
    html`<a href="#error-${code}"><code>${code}</code></a>`,
    html`${status}`,
    renderInline(meaning),
  ])
  return html`<h4 id="${operation.operationId}-errors">Errors</h4>
${renderTable(['Code', 'Status', 'Cause and fix'], rows)}`
}
