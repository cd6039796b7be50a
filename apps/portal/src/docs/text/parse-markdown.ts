export type Language = 'sh' | 'ts' | 'python'

export const languages: readonly Language[] = ['sh', 'ts', 'python']

export type Sample = { readonly language: Language; readonly source: string }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly id: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  /** The same example in several languages. */
  | { readonly kind: 'samples'; readonly samples: readonly Sample[] }
  /** Output, or a text of another kind. */
  | { readonly kind: 'text'; readonly source: string }
  /** A form that sends the request of an operation. */
  | { readonly kind: 'try'; readonly operationId: string }

export type Span =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

/** Parses the Markdown of the guides and of the service's descriptions. Blocks of code after one another are one example. */
export function parseMarkdown(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  for (const text of splitBlocks(markdown)) {
    const block = parseBlock(text)
    const last = blocks.at(-1)
    if (block.kind === 'samples' && last?.kind === 'samples' && !hasLanguage(last.samples, block.samples)) {
      blocks[blocks.length - 1] = { kind: 'samples', samples: [...last.samples, ...block.samples] }
    } else blocks.push(block)
  }
  return blocks
}

/** Parses `code`, **strong** and [links](href) of a text. */
export function parseInline(text: string): readonly Span[] {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[(?:[^\]`]|`[^`]*`)+\]\([^)\s]+\))/)
  return parts
    .filter((part) => part !== '')
    .map((part): Span => {
      if (/^`.+`$/.test(part)) return { kind: 'code', text: part.slice(1, -1) }
      if (/^\*\*.+\*\*$/.test(part)) return { kind: 'strong', text: part.slice(2, -2) }
      const [, label, href] = /^\[(.+)\]\((\S+)\)$/.exec(part) ?? []
      if (label !== undefined && href !== undefined) return { kind: 'link', text: label, href }
      return { kind: 'text', text: part }
    })
}

/** Returns a text without the marks of Markdown. */
export function plainText(text: string): string {
  return parseInline(text)
    .map((span) => span.text.replaceAll('`', ''))
    .join('')
}

/** Returns the id of a heading. */
export function slug(text: string): string {
  return plainText(text)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Splits at empty lines outside code. */
function splitBlocks(markdown: string): readonly string[] {
  const fence = /^(```[\s\S]*?^```)$/m
  return markdown
    .split(fence)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map((part) => part.replace(/^\n+|\s+$/g, ''))
    .filter((part) => part !== '')
}

function parseBlock(text: string): Block {
  const [, marks, heading] = /^(#{1,4}) (.+)$/.exec(text) ?? []
  if (marks !== undefined && heading !== undefined) {
    return { kind: 'heading', level: marks.length, text: heading, id: slug(heading) }
  }
  if (text.startsWith('```')) return parseCode(text)
  if (text.startsWith('> ')) return { kind: 'note', text: text.replaceAll(/^> ?/gm, '').replaceAll('\n', ' ') }
  if (/^(- |1\. )/.test(text)) return parseList(text)
  if (text.startsWith('| ')) return parseTable(text)
  return { kind: 'paragraph', text: text.replaceAll('\n', ' ') }
}

function parseCode(text: string): Block {
  const [, language = '', source = ''] = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(text) ?? []
  if (language === 'try') return { kind: 'try', operationId: source.trim() }
  const known = languages.find((one) => one === language)
  return known ? { kind: 'samples', samples: [{ language: known, source }] } : { kind: 'text', source }
}

function parseList(text: string): Block {
  const items = text.split(/^(?:- |\d+\. )/m).filter((item) => item !== '')
  return {
    kind: 'list',
    isOrdered: !text.startsWith('- '),
    items: items.map((item) => item.replace(/\s+/g, ' ').trim()),
  }
}

function parseTable(text: string): Block {
  const [columns = [], , ...rows] = text.split('\n').map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
  return { kind: 'table', columns, rows }
}

function hasLanguage(samples: readonly Sample[], [added]: readonly Sample[]): boolean {
  return samples.some(({ language }) => language === added?.language)
}
