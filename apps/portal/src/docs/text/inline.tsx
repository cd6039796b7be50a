import { Html } from './html.tsx'
import { renderInline } from './render-markdown.ts'

/** Renders a line of Markdown. */
export function Inline({ text }: { readonly text: string }) {
  return <Html tag="span" html={renderInline(text)} />
}

/** Renders a paragraph of Markdown. */
export function Paragraph({ text }: { readonly text: string }) {
  return <Html tag="p" html={renderInline(text)} />
}
