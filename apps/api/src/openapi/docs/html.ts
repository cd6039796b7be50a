/** Text that is HTML already. */
export type Html = { readonly html: string }

type Part = Html | string | number | undefined | false | readonly Part[]

/**
 * HTML from a template: everything put into it is escaped, unless it is HTML already. Lists are joined; what is undefined
 * or false leaves nothing.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => text + encode(parts[index])).join('') }
}

function encode(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return 'html' in part ? part.html : part.map(encode).join('')
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
