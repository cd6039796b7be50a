import { parseInline } from './parse-markdown.ts'

/** Renders a text with code, strong parts and links. */
export function Inline({ text }: { readonly text: string }) {
  return (
    <>
      {parseInline(text).map((span, index) => {
        const key = index
        if (span.kind === 'code') return <code key={key}>{span.text}</code>
        if (span.kind === 'strong') return <strong key={key}>{span.text}</strong>
        if (span.kind !== 'link') return span.text
        return (
          <a key={key} href={span.href}>
            <Inline text={span.text} />
          </a>
        )
      })}
    </>
  )
}
