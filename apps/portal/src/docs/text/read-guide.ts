import { type Block, parseMarkdown } from './parse-markdown.ts'

export type Guide = {
  readonly segment: string
  readonly title: string
  /** First paragraph. */
  readonly summary: string
  readonly markdown: string
}

/** Reads the title and the summary of a guide. */
export function readGuide(segment: string, markdown: string): Guide {
  const [title, summary] = parseMarkdown(markdown)
  if (title?.kind !== 'heading' || title.level !== 1 || summary?.kind !== 'paragraph') {
    throw new Error(`The guide ${segment} must begin with a title and a paragraph.`)
  }
  return { segment, title: title.text, summary: summary.text, markdown }
}

/** Values of this service in a guide. */
export type GuideValues = { readonly chainId: number; readonly wallet: string }

/** Returns the blocks of a guide after its title and summary. */
export function parseGuide({ markdown }: Pick<Guide, 'markdown'>, { chainId, wallet }: GuideValues): readonly Block[] {
  const filled = markdown.replaceAll('{{chainid}}', String(chainId)).replaceAll('{{wallet}}', wallet)
  return parseMarkdown(filled).slice(2)
}

/** Returns what `docs/errors.md` says about each code, without its line of status, which the document has too. */
export function readErrorGuide(markdown: string): ReadonlyMap<string, readonly string[]> {
  const guide = new Map<string, readonly string[]>()
  let code: string | undefined
  for (const block of parseMarkdown(markdown)) {
    if (block.kind === 'heading') code = /^`(\w+)`$/.exec(block.text)?.[1]
    else if (code !== undefined && block.kind === 'list') guide.set(code, block.items)
  }
  return guide
}
