import type { OpenapiDocument } from '../document.ts'
import { type Html, html } from './html.ts'
import { listEndpoints } from './list-endpoints.ts'
import { listFailures } from './list-failures.ts'
import { renderJson } from './render-json.ts'
import { renderInline } from './render-markdown.ts'

/** Renders each error code once, with an example. The tables of the endpoints link here. */
export function renderErrors(document: OpenapiDocument): Html {
  const failures = listEndpoints(document)
    .flatMap(({ operation }) => listFailures(operation))
    .filter(({ code }, index, all) => all.findIndex((other) => other.code === code) === index)
    .toSorted((a, b) => Number(a.status) - Number(b.status))
  return html`<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>All error codes of the endpoints. The command line and the admin listener have further codes.</p>
${failures.map(
  ({ code, status, meaning, example }) => html`<article aria-labelledby="error-${code}">
<h3 id="error-${code}"><code>${code}</code> <span class="small">${status}</span></h3>
<p>${renderInline(meaning)}</p>
${renderJson(example)}</article>
`,
)}</section>`
}
