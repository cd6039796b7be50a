import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type FeedFailure, TreasuryFeedError } from './feed-error.ts'
import type { FeedRow } from './parse-feed.ts'

/** What the thread sends. */
export type ParsedFeed =
  | { readonly rows: FeedRow[]; readonly failure?: undefined }
  | { readonly failure: FeedFailure; readonly message: string }

// The thread runs the bundle of `parse-feed-main.ts`, found by its name, because this module is in other bundles too.
const findEntry = () => createRequire(import.meta.url).resolve('@tallystick/issuer/parse-feed')
// A month takes 0.1 s and little memory. A hostile document of the accepted size may take 2 s.
const timeoutMs = 10_000
const heapMegabytesMax = 256

/**
 * Parses a document as `parseFeed` does, in a thread of its own, because that takes 0.1 s and more of a thread. Throws
 * `TreasuryFeedError`.
 */
export async function parseInThread(text: string, signal: AbortSignal): Promise<FeedRow[]> {
  const worker = new Worker(findEntry(), {
    workerData: text,
    // Without the flags of this process, which may be for running TypeScript.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  })
  try {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const [parsed] = (await once(worker, 'message', { signal: ended })) as [ParsedFeed]
    if (parsed.failure === undefined) return parsed.rows
    throw new TreasuryFeedError(parsed)
  } catch (error) {
    if (error instanceof TreasuryFeedError) throw error
    const message = 'The Treasury feed’s response cannot be parsed within 10 s and 256 MB.'
    throw new TreasuryFeedError({ failure: 'malformed', message, cause: error })
  } finally {
    await worker.terminate()
  }
}
