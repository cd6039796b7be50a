/** Escaped HTML. */
export type Html = { readonly html: string }

type Part = Html | string | number | undefined | false | readonly Part[]

/**
 * Builds HTML from a template. Escapes every value that is not `Html`. Joins lists and omits undefined and false.
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
