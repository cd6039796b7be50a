import { createHash } from 'node:crypto'
import { readChunks } from '@tallystick/core/stream/read-chunks'
import { TreasuryFeedError } from './feed-error.ts'

export type FeedDocument = {
  readonly text: string
  /** Hex SHA-256 of the content, after decompression. */
  readonly sha256: string
}

export type DocumentSource = {
  /** For messages: "Treasury feed". */
  readonly name: string
  /** Configuration key of its URL. */
  readonly setting: string
  readonly accept: string
  /** Maximum size. Parsing is synchronous, so much larger documents are rejected. */
  readonly bytesMax: number
}

/**
 * Fetches a document of a feed. Does not follow redirects: an operator should check a new address. Throws
 * `TreasuryFeedError`.
 */
export async function fetchDocument(
  url: URL,
  {
    source,
    timeoutMs,
    signal,
  }: { readonly source: DocumentSource; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FeedDocument> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      headers: { accept: source.accept, 'user-agent': 'tallystick' },
      redirect: 'manual',
      signal: AbortSignal.any([deadline, signal]),
    })
    assertStatus(response, source)
    const { bytesMax } = source
    const bytes = Buffer.concat(await readChunks(response.body ?? [], { bytesMax, tooLarge: () => tooLarge(source) }))
    return { text: decode(bytes, source), sha256: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    if (error instanceof TreasuryFeedError) throw error
    if (deadline.aborted) {
      throw new TreasuryFeedError({
        failure: 'timeout',
        message: `The ${source.name} did not respond within ${timeoutMs} ms.`,
        cause: error,
      })
    }
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string }
    throw new TreasuryFeedError({
      failure: 'unreachable',
      message: `The ${source.name} cannot be reached (${code ?? 'connection lost'}).`,
      cause: error,
    })
  }
}

function assertStatus({ status, ok }: Response, { name, setting }: DocumentSource): void {
  if (ok) return
  if (status >= 300 && status < 400) {
    throw new TreasuryFeedError({
      failure: 'redirected',
      message: `The ${name} responded with a redirect (${status}). If it has moved, check the new URL and set ${setting}.`,
    })
  }
  throw new TreasuryFeedError({ failure: 'status', message: `The ${name} responded with status ${status}.` })
}

function tooLarge({ name, bytesMax }: DocumentSource): TreasuryFeedError {
  return new TreasuryFeedError({ failure: 'too_large', message: `The ${name}’s response exceeds ${bytesMax} bytes.` })
}

function decode(bytes: Buffer, { name }: DocumentSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new TreasuryFeedError({
      failure: 'malformed',
      message: `The ${name}’s response is not UTF-8.`,
      cause: error,
    })
  }
}
