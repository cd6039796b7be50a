import { type Html, html } from './html.ts'

/** The little Markdown our descriptions use: headings of the second level, paragraphs, fenced code and `code`. */
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

/** A line of it. */
export function renderInline(text: string): Html {
  // What stands between backticks has an odd place in the list.
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** An id made of words. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
