import { highlight } from './highlight.ts'
import type { Language } from './parse-markdown.ts'

type CodeProps = {
  readonly source: string
  readonly language: Language | 'json' | 'text'
  readonly label: string
}

/** Renders code with colours. It can be scrolled with the keyboard. */
export function Code({ source, language, label }: CodeProps) {
  const tokens = language === 'text' ? [{ kind: 'plain', text: source } as const] : highlight(source, language)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard.
    <pre class="docs-code" tabIndex={0} role="group" aria-label={label}>
      <code>
        {tokens.map(({ kind, text }, index) =>
          kind === 'plain' ? (
            text
          ) : (
            <span key={index} class={`token-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  )
}
