import { type Html, html } from './html.ts'

/** Renders indented JSON with syntax highlighting. */
export function renderJson(value: unknown): Html {
  // Puts a list of numbers on one line.
  const text = JSON.stringify(value, undefined, 2).replace(/\[\s*(-?\d[\d,\s-]*)\]/g, (_, numbers: string) => {
    return `[${numbers.trim().split(/,\s*/).join(', ')}]`
  })
  // Splits at names with their colon, strings, literals and numbers.
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?)/)
  return html`<pre tabindex="0"><code>${parts.map((part, index) => (index % 2 === 0 ? part : renderToken(part)))}</code></pre>\n`
}

function renderToken(token: string): Html {
  const kind = token.endsWith(':') ? 'name' : token.startsWith('"') ? 'text' : 'word'
  return html`<span class="${kind}">${token}</span>`
}
