import type { OpenapiDocument } from '../document.ts'
import { docsStyle } from './docs-style.ts'
import { type Html, html } from './html.ts'
import { type Endpoint, listEndpoints } from './list-endpoints.ts'
import { renderErrors } from './render-errors.ts'
import { renderInline, renderMarkdown, slug } from './render-markdown.ts'
import { renderOperation } from './render-operation.ts'

export type Docs = {
  readonly html: string
  /** Exact content of the page's style element. The Content-Security-Policy contains its hash. */
  readonly style: string
}

/** Renders the document as an HTML page without scripts or external resources. */
export function renderDocs(document: OpenapiDocument): Docs {
  const { title, version, summary, description } = document.info
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${title} API reference</title>
<style>${{ html: docsStyle }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<h1><a href="/">${title}</a> API reference</h1>
<p>${summary}</p>
<p class="small">Version ${version}. Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
</header>
<div class="columns">
${renderContents(document)}
<main id="content">
<section aria-labelledby="introduction">
<h2 id="introduction">Introduction</h2>
${renderMarkdown(description)}</section>
${renderTags(document)}
${renderErrors(document)}
</main>
</div>
<footer><p class="small">Generated from the OpenAPI document of this service.</p></footer>
</body>
</html>
`
  return { html: page.html, style: docsStyle }
}

function renderTags(document: OpenapiDocument): readonly Html[] {
  return document.tags.map(
    ({ name, description }) => html`<section aria-labelledby="${slug(name)}">
<h2 id="${slug(name)}">${name}</h2>
<p>${renderInline(description)}</p>
${endpointsOf(document, name).map((endpoint) => renderOperation(document, endpoint))}</section>
`,
  )
}

function renderContents(document: OpenapiDocument): Html {
  const headings = [...document.info.description.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
  return html`<nav aria-label="Contents">
<ul>
<li><a href="#introduction">Introduction</a>
<ul>${headings.map((heading) => html`<li><a href="#${slug(heading)}">${heading}</a></li>`)}</ul></li>
${document.tags.map(
  ({ name }) => html`<li><a href="#${slug(name)}">${name}</a>
<ul>${endpointsOf(document, name).map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`,
  )}</ul></li>
`,
)}<li><a href="#errors">Errors</a></li>
</ul>
</nav>`
}

function endpointsOf(document: OpenapiDocument, tag: string): readonly Endpoint[] {
  return listEndpoints(document).filter(({ operation }) => operation.tags.includes(tag))
}
