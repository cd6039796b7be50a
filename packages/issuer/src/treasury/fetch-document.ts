import { createHash } from 'node:crypto'
import { exchange, HttpError, type HttpHead } from '@tallystick/chain'
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
  const headers = { accept: source.accept }
  try {
    const answer = await exchange({ url, headers, bytesMax: source.bytesMax, timeoutMs, signal })
    assertStatus(answer, source)
    return { text: decode(answer.bytes, source), sha256: createHash('sha256').update(answer.bytes).digest('hex') }
  } catch (error) {
    if (error instanceof TreasuryFeedError) throw error
    const { failure = 'unreachable', head, message = 'cannot be reached' } = error instanceof HttpError ? error : {}
    if (head) assertStatus(head, source)
    throw new TreasuryFeedError({ failure, message: `The ${source.name} ${message}.`, cause: error })
  }
}

function assertStatus({ status }: HttpHead, { name, setting }: DocumentSource): void {
  if (status >= 200 && status < 300) return
  if (status >= 300 && status < 400) {
    throw new TreasuryFeedError({
      failure: 'redirected',
      message: `The ${name} responded with a redirect (${status}). If it has moved, check the new URL and set ${setting}.`,
    })
  }
  throw new TreasuryFeedError({ failure: 'status', message: `The ${name} responded with status ${status}.` })
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
