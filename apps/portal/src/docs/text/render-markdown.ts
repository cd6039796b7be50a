import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import type { Part, Sample } from './part.ts'
import { slug } from './slug.ts'

/** Target of a link, with another label if the written one would not do, or a text without a link. Both are HTML. */
export type Target = { readonly href: string; readonly label?: string | undefined } | { readonly text: string }

export type RenderOptions = {
  /** Describes the tables to screen readers. */
  readonly label: string
  readonly resolveLink?: (href: string, html: string) => Target
  readonly idOf?: (heading: string) => string
}

/** Renders Markdown. Raw HTML becomes text, and so does a link to anything but the web. */
export function renderMarkdown(markdown: string, options: RenderOptions): readonly Part[] {
  const marked = createMarked(options)
  const parts: Part[] = []
  for (const token of marked.lexer(markdown)) {
    const last = parts.at(-1)
    if (token.type === 'space') continue
    const part = token.type === 'code' ? toCode(token as Tokens.Code) : undefined
    if (part?.kind === 'samples' && last?.kind === 'samples' && !hasLanguage(last.samples, part.samples)) {
      parts[parts.length - 1] = { kind: 'samples', samples: [...last.samples, ...part.samples] }
    } else if (part) parts.push(part)
    else {
      const html = marked.parser([token])
      if (last?.kind === 'html') parts[parts.length - 1] = { kind: 'html', html: last.html + html }
      else parts.push({ kind: 'html', html })
    }
  }
  return parts
}

/** Renders the Markdown of one line. */
export function renderInline(markdown: string): string {
  return createMarked({ label: '' }).parseInline(markdown) as string
}

/** Returns the text of tokens without marks. */
export function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token): string => {
      if (token.type === 'code' || token.type === 'html') return ''
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows].flatMap((row) => row.map((cell) => `${plainText(cell.tokens)} `)).join('')
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join('')
      return 'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? String(token.text) : ' '
    })
    .join('')
}

function createMarked({ label, resolveLink = keepLink, idOf = slug }: RenderOptions): Marked {
  return new Marked({
    // A URL in a text is a part of the text.
    tokenizer: { url: () => undefined },
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ depth, tokens }) {
        const id = idOf(plainText(tokens))
        const level = Math.max(2, depth)
        const text = this.parser.parseInline(tokens)
        return `<h${level} id="${id}" class="docs-heading"><a href="#${id}">${text}</a></h${level}>`
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const target = resolveLink(href, html)
        return 'text' in target ? target.text : `<a href="${escapeHtml(target.href)}">${target.label ?? html}</a>`
      },
      list({ ordered, start, items }) {
        const tag = ordered ? 'ol' : 'ul'
        const from = ordered && start !== 1 ? ` start="${Number(start)}"` : ''
        return `<${tag}${from} class="docs-list">${items.map((item) => this.listitem(item)).join('')}</${tag}>`
      },
      blockquote({ tokens }) {
        return `<div class="docs-note">${this.parser.parse(tokens)}</div>`
      },
      code: ({ text }) => `<pre class="docs-code" tabindex="0">${escapeHtml(text)}</pre>`,
      table({ header, rows }) {
        const titles = header.map(({ tokens }) => this.parser.parseInline(tokens))
        const labels = header.map(({ tokens }) => escapeHtml(plainText(tokens)))
        const head = titles.map((title) => `<th scope="col">${title}</th>`).join('')
        const toCell = (html: string, index: number) => `<td data-label="${labels[index]}"><div>${html}</div></td>`
        const body = rows.map(
          (row) =>
            `<tr>${row.map(({ tokens }, index) => toCell(this.parser.parseInline(tokens), index)).join('')}</tr>`,
        )
        const caption = `<caption class="sr-only">${escapeHtml(label)}</caption>`
        return `<table class="docs-table full">${caption}<thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`
      },
    },
  })
}

function keepLink(href: string, html: string): Target {
  return /^(https?:\/\/|\/(?!\/)|#|mailto:)/.test(href) ? { href } : { text: html }
}

function toCode({ lang = '', text }: Tokens.Code): Part {
  if (lang === 'try') return { kind: 'try', operationId: text.trim() }
  return lang === '' || lang === 'text'
    ? { kind: 'text', source: text }
    : { kind: 'samples', samples: [{ language: lang, source: text }] }
}

function hasLanguage(samples: readonly Sample[], [added]: readonly Sample[]): boolean {
  return samples.some(({ language }) => language === added?.language)
}
