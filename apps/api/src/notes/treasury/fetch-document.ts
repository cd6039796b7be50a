import { createHash } from 'node:crypto'
import { readChunks } from '@tallystick/core/stream/read-chunks'
import { TreasuryFeedError } from './feed-error.ts'

export type FeedDocument = {
  readonly text: string
  /** Of the bytes as received, content decoding undone; hex. */
  readonly sha256: string
}

export type DocumentSource = {
  /** For messages: "Treasury feed". */
  readonly name: string
  /** The configuration member that holds its address. */
  readonly setting: string
  readonly accept: string
  /** Parsing blocks, so a document many times the usual size is not looked at. */
  readonly bytesMax: number
}

/**
 * Gets one document of a feed. It does not follow redirects: the feed moved once and its old address went on
 * answering, so a new address is for a person to look at. Throws `TreasuryFeedError`.
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
        message: `The ${source.name} did not answer within ${timeoutMs} ms.`,
        cause: error,
      })
    }
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string }
    throw new TreasuryFeedError({
      failure: 'unreachable',
      message: `The ${source.name} cannot be reached (${code ?? 'the connection broke'}).`,
      cause: error,
    })
  }
}

function assertStatus({ status, ok }: Response, { name, setting }: DocumentSource): void {
  if (ok) return
  if (status >= 300 && status < 400) {
    throw new TreasuryFeedError({
      failure: 'redirected',
      message: `The ${name} answers with a redirect (${status}). If it has moved, check the new address and set ${setting}.`,
    })
  }
  throw new TreasuryFeedError({ failure: 'status', message: `The ${name} answers with status ${status}.` })
}

function tooLarge({ name, bytesMax }: DocumentSource): TreasuryFeedError {
  return new TreasuryFeedError({ failure: 'too_large', message: `The ${name}’s answer is over ${bytesMax} bytes.` })
}

function decode(bytes: Buffer, { name }: DocumentSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new TreasuryFeedError({
      failure: 'malformed',
      message: `The ${name}’s answer is not UTF-8.`,
      cause: error,
    })
  }
}
