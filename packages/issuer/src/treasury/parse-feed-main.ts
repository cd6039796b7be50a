import { parentPort, workerData } from 'node:worker_threads'
import { TreasuryFeedError } from './feed-error.ts'
import { parseFeed } from './parse-feed.ts'
import type { ParsedFeed } from './parse-in-thread.ts'

// The thread that parses one document (parse-in-thread.ts starts it).

function parse(text: string): ParsedFeed {
  try {
    return { rows: parseFeed(text) }
  } catch (error) {
    if (error instanceof TreasuryFeedError) return { failure: error.failure, message: error.message }
    throw error
  }
}

parentPort?.postMessage(parse(workerData as string))
