import type { DocsPage } from './docs-pages.ts'
import type { Reference } from './reference.tsx'
import type { Part } from './text/part.ts'

/** What a page needs to be rendered. */
export type Content =
  | { readonly kind: 'start' }
  | { readonly kind: 'written'; readonly parts: readonly Part[] }
  | { readonly kind: 'reference'; readonly Reference: typeof Reference; readonly tag?: string | undefined }

/** Content of a page, or why it could not be loaded. Empty while it is loading. */
export type Loaded = { readonly value?: Content; readonly error?: unknown }

/** Loads the content of a page: its own texts, or the renderer of the reference. */
export async function loadContent({ content }: DocsPage): Promise<Content> {
  if (content.kind === 'start') return content
  if (content.kind === 'written') return { kind: 'written', parts: (await content.load()).parts }
  const { Reference } = await import('./reference.tsx')
  return { kind: 'reference', Reference, tag: content.tag }
}
