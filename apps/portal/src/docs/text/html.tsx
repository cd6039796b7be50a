import type { JSX } from 'preact'

type HtmlProps = { readonly html: string; readonly tag?: 'div' | 'p' | 'span'; readonly class?: string }

/** Renders HTML that the renderer of Markdown has made. It escapes all other HTML. */
export function Html({ html, tag = 'div', ...attributes }: HtmlProps): JSX.Element {
  const Tag = tag as 'div'
  return <Tag {...attributes} dangerouslySetInnerHTML={{ __html: html }} />
}
