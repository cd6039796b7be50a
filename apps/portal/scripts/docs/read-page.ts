import { dirname, join } from 'node:path'
import { marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/docs/text/escape-html.ts'
import type { Part } from '../../src/docs/text/part.ts'
import { plainText, renderMarkdown, type Target } from '../../src/docs/text/render-markdown.ts'
import { slug } from '../../src/docs/text/slug.ts'
import { type PageSource, pageSources } from './page-sources.ts'

/** Part of a page below one heading, as the search finds it. */
type Section = { readonly id: string; readonly heading: string; readonly text: string }

export type WrittenPage = {
  readonly segment: string
  readonly title: string
  readonly name: string | undefined
  /** First paragraph as HTML, or empty. */
  readonly summary: string
  /** Headings that the navigation shows. */
  readonly headings: readonly { readonly id: string; readonly title: string }[]
  readonly parts: readonly Part[]
  readonly sections: readonly Section[]
}

/** Reads a file by its path in the repository. */
export type Repository = { readonly read: (file: string) => string }

const sources = Object.values(pageSources).flat()

/** Reads a page. Throws if its Markdown contains HTML or has no title. */
export function readPage({ read }: Repository, { segment, file, name }: PageSource): WrittenPage {
  const tokens = marked.lexer(includeFiles(read, read(file)))
  refuseHtml(tokens, file)
  const [title, ...blocks] = tokens.filter(({ type }) => type !== 'space')
  if (title?.type !== 'heading' || title['depth'] !== 1) throw new Error(`${file} must begin with a title.`)
  const leads = blocks.slice(0, blocks[0]?.type === 'paragraph' ? 1 : 0)
  const heading = plainText(title.tokens)
  const options = {
    label: heading,
    resolveLink: (href: string, html: string) => resolveLink(href, { read, html, file, segment }),
    idOf: (text: string) => idIn(segment, slug(text)),
  }
  const render = (part: readonly Token[]) => renderMarkdown(part.map(({ raw }) => raw).join('\n\n'), options)
  const rest = blocks.slice(leads.length)
  const parts = render(rest)
  const [lead] = render(leads)
  return {
    ...{ segment, title: heading, name },
    summary: lead?.kind === 'html' ? lead.html.replaceAll(/^<p>|<\/p>\s*$/g, '') : '',
    headings: listHeadings(rest, segment),
    sections: listSections(segment, { heading, tokens: blocks }),
    parts: segment === 'errors' ? addErrorExamples(parts) : parts,
  }
}

function refuseHtml(tokens: readonly Token[], file: string): void {
  for (const token of tokens) {
    if (token.type === 'html') throw new Error(`${file} contains HTML, which the page does not show.`)
    const { tokens: inner = [], items = [] } = token as { readonly tokens?: Token[]; readonly items?: Token[] }
    refuseHtml([...inner, ...items, ...listCells(token)], file)
  }
}

function listCells(token: Token): readonly Token[] {
  if (token.type !== 'table') return []
  const { header, rows } = token as Tokens.Table
  return [header, ...rows].flatMap((cells) => cells.flatMap(({ tokens }) => tokens))
}

/** Replaces each code block such as "```go file=examples/go/a.go" by that file. */
function includeFiles(read: Repository['read'], markdown: string): string {
  return markdown.replaceAll(
    /^```(\w+) file=(\S+)\n```$/gm,
    (_, language: string, file: string) => `\`\`\`${language}\n${read(file).trimEnd()}\n\`\`\``,
  )
}

function listHeadings(tokens: readonly Token[], segment: string): WrittenPage['headings'] {
  const found = tokens.filter((token): token is Tokens.Heading => token.type === 'heading' && token['depth'] === 2)
  // More would hide the rest of the navigation.
  if (found.length > 16) return []
  return found.map(({ tokens: text }) => ({ id: idIn(segment, slug(plainText(text))), title: plainText(text) }))
}

function listSections(
  segment: string,
  { heading, tokens }: { readonly heading: string; readonly tokens: readonly Token[] },
): readonly Section[] {
  const sections = [{ id: '', heading, text: '' }]
  for (const token of tokens) {
    const text = plainText(token.type === 'heading' ? token['tokens'] : [token])
      .replaceAll(/\s+/g, ' ')
      .trim()
    if (token.type === 'heading') sections.push({ id: idIn(segment, slug(text)), heading: text, text: '' })
    else (sections.at(-1) as { text: string }).text += `${text} `
  }
  return sections
}

/** Adds the example of each code below its explanation. */
function addErrorExamples(parts: readonly Part[]): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    if (part.kind !== 'html') return [part]
    return part.html.split(/(?=<h2 )/).flatMap((html): readonly Part[] => {
      const [, code] = /^<h2 id="error-(\w+)"/.exec(html) ?? []
      return code === undefined
        ? [{ kind: 'html', html }]
        : [
            { kind: 'html', html },
            { kind: 'error', code },
          ]
    })
  })
}

/** Ids of error codes have a prefix, because the page has other ids. */
function idIn(segment: string, id: string): string {
  return segment === 'errors' && /^[a-z]+(_[a-z]+)*$/.test(id) ? `error-${id}` : id
}

type LinkContext = Repository & { readonly html: string; readonly file: string; readonly segment: string }

/** Turns a link between files into a link of the site. A file that the site does not have is named instead. */
function resolveLink(href: string, { read, html, file, segment }: LinkContext): Target {
  const [path = '', anchor] = href.split('#')
  if (/^(https?:|mailto:|\/)/.test(href)) return { href }
  if (path === '') return { href: `#${idIn(segment, anchor ?? '')}` }
  const target = join(dirname(file), path)
  const page = sources.find((source) => source.file === target)
  if (page) {
    // A name of a file says nothing on the site.
    const label = /^[\w./-]+\.md$/.test(html) ? escapeHtml(readTitle(read(target), target)) : undefined
    return { href: `/docs/${page.segment}${anchor === undefined ? '' : `#${idIn(page.segment, anchor)}`}`, label }
  }
  if (target.startsWith('docs/decisions/')) return { text: html }
  const label = html.replaceAll(/<\/?code>/g, '')
  return { text: target.endsWith(label) ? `<code>${target}</code>` : `${html} (<code>${target}</code>)` }
}

function readTitle(markdown: string, file: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? file
}
