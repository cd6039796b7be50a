import { type Html, html } from './html.ts'

/** JSON as people like it, its parts told apart by colour. */
export function renderJson(value: unknown): Html {
  // A list of numbers takes a line, not one for each.
  const text = JSON.stringify(value, undefined, 2).replace(/\[\s*(-?\d[\d,\s-]*)\]/g, (_, numbers: string) => {
    return `[${numbers.trim().split(/,\s*/).join(', ')}]`
  })
  // Names with their colon, other texts, and the words and numbers between; the rest is left as it is.
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?)/)
  return html`<pre tabindex="0"><code>${parts.map((part, index) => (index % 2 === 0 ? part : renderToken(part)))}</code></pre>\n`
}

function renderToken(token: string): Html {
  const kind = token.endsWith(':') ? 'name' : token.startsWith('"') ? 'text' : 'word'
  return html`<span class="${kind}">${token}</span>`
}
