import { type Html, html } from './html.ts'

/** Renders the Markdown of the descriptions: level-2 headings, paragraphs, fenced code and `code`. */
export function renderMarkdown(text: string): Html {
  return html`${text.split(/\n\n+/).map(renderBlock)}`
}

function renderBlock(block: string): Html {
  const [, heading] = /^## (.*)$/.exec(block) ?? []
  if (heading !== undefined) return html`<h3 id="${slug(heading)}">${heading}</h3>\n`
  const [, code] = /^```\w*\n([\s\S]*)\n```$/.exec(block) ?? []
  if (code !== undefined) return html`<pre tabindex="0"><code>${code}</code></pre>\n`
  return html`<p>${renderInline(block)}</p>\n`
}

/** Renders text with `code`. */
export function renderInline(text: string): Html {
  // Parts between backticks have odd indices.
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** Returns the HTML id of a heading. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
