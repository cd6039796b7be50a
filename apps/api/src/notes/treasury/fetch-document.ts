import { createHash } from 'node:crypto'
import { TreasuryFeedError } from './feed-error.ts'

export type FeedDocument = {
  readonly text: string
  /** Of the bytes as received, content decoding undone; hex. */
  readonly sha256: string
}

// A month is about 100 KB. Parsing blocks, so what is many times that is not looked at.
const documentBytesMax = 2 * 1024 * 1024

/**
 * Gets one document of the feed. It does not follow redirects: the feed moved once and its old address went on
 * answering, so a new address is for a person to look at. Throws `TreasuryFeedError`.
 */
export async function fetchDocument(
  url: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FeedDocument> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/atom+xml, application/xml, text/xml', 'user-agent': 'tallystick' },
      redirect: 'manual',
      signal: AbortSignal.any([deadline, signal]),
    })
    assertStatus(response)
    const bytes = await readBounded(response)
    return { text: decode(bytes), sha256: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    if (error instanceof TreasuryFeedError) throw error
    if (deadline.aborted) {
      throw new TreasuryFeedError({
        failure: 'timeout',
        message: `The Treasury feed did not answer within ${timeoutMs} ms.`,
        cause: error,
      })
    }
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string }
    throw new TreasuryFeedError({
      failure: 'unreachable',
      message: `The Treasury feed cannot be reached (${code ?? 'the connection broke'}).`,
      cause: error,
    })
  }
}

function assertStatus({ status, ok }: Response): void {
  if (ok) return
  if (status >= 300 && status < 400) {
    throw new TreasuryFeedError({
      failure: 'redirected',
      message: `The Treasury feed answers with a redirect (${status}). If it has moved, check the new address and set curve.url.`,
    })
  }
  throw new TreasuryFeedError({ failure: 'status', message: `The Treasury feed answers with status ${status}.` })
}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > documentBytesMax) {
      throw new TreasuryFeedError({
        failure: 'too_large',
        message: `The Treasury feed’s answer is over ${documentBytesMax} bytes.`,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new TreasuryFeedError({
      failure: 'malformed',
      message: 'The Treasury feed’s answer is not UTF-8.',
      cause: error,
    })
  }
}
