import { createDevChain, type DevChainHandler } from './create-dev-chain.ts'
import { createEngine, type Engine, type Genesis } from './create-engine.ts'
import { type ChainClock, createChainClock } from './create-miner.ts'
import {
  type Journal,
  type JournalContent,
  JournalError,
  openNewJournal,
  readJournal,
  resumeJournal,
} from './journal.ts'

export type OpenOptions = {
  readonly chainId: number
  /** Unix seconds of block 0 of a new chain, the system's time by default. */
  readonly timestamp?: number | undefined
  readonly blockGasLimit: bigint
  /** File that stores the chain. Without it the chain is in memory only. */
  readonly journalPath?: string | undefined
  readonly systemNowMs: () => number
  /** Called during replay with the completed share, from 0 to 1. */
  readonly onProgress: (share: number) => void
}

export type OpenDevChain = { readonly chain: DevChainHandler; close(): void }

type Header = {
  readonly version: 1
  readonly engine: string
  readonly chainId: number
  readonly timestamp: number
  readonly blockGasLimit: string
}

/** Opens the chain of a journal, or a new one. Throws `JournalError` if the journal cannot be used. */
export async function openDevChain(options: OpenOptions): Promise<OpenDevChain> {
  const { journalPath, systemNowMs } = options
  const clock = createChainClock(systemNowMs)
  const content = journalPath === undefined ? undefined : readJournal(journalPath)
  if (journalPath !== undefined && content) return resume(options, { clock, content, journalPath })
  const genesis = { ...options, timestamp: options.timestamp ?? clock.now() }
  clock.set(genesis.timestamp)
  const engine = await createEngine(genesis)
  const chain = createDevChain({ engine, clock, genesisSecond: genesis.timestamp })
  if (journalPath === undefined) return { chain, close: () => undefined }
  return keep(chain, openNewJournal(journalPath, await describe(engine, genesis)))
}

type Kept = { readonly clock: ChainClock; readonly content: JournalContent; readonly journalPath: string }

async function resume(options: OpenOptions, kept: Kept): Promise<OpenDevChain> {
  const { clock, content, journalPath } = kept
  const { chainId, timestamp, blockGasLimit } = content.header as Header
  const genesis = { chainId, timestamp, blockGasLimit: BigInt(blockGasLimit ?? 0) }
  const engine = await createEngine(genesis)
  // Another engine may compute other blocks from the same changes.
  const expected = JSON.stringify(await describe(engine, { ...genesis, chainId: options.chainId }))
  if (JSON.stringify(content.header) !== expected)
    throw new JournalError(`${journalPath} belongs to another chain or engine.`)
  const chain = createDevChain({ engine, clock, genesisSecond: timestamp })
  await replay(chain, { kept, onProgress: options.onProgress })
  // Replayed blocks moved the clock to their own times.
  clock.set(Math.floor(options.systemNowMs() / 1000))
  return keep(chain, resumeJournal(journalPath, content))
}

async function describe(engine: Engine, { chainId, timestamp, blockGasLimit }: Genesis): Promise<Header> {
  const version = (await engine.request('web3_clientVersion', [])) as string
  return { version: 1, engine: version, chainId, timestamp, blockGasLimit: blockGasLimit.toString() }
}

function keep(chain: DevChainHandler, journal: Journal): OpenDevChain {
  chain.recordTo(journal)
  return { chain, close: journal.close }
}

const progressEntries = 1_000

async function replay(
  chain: DevChainHandler,
  { kept: { content, journalPath }, onProgress }: Pick<OpenOptions, 'onProgress'> & { readonly kept: Kept },
): Promise<void> {
  const { entries } = content
  for (const [index, entry] of entries.entries()) {
    try {
      await chain.replay(entry)
    } catch (cause) {
      throw new JournalError(`${journalPath} cannot be replayed from line ${index + 2}.`, { cause })
    }
    if (index % progressEntries === 0) onProgress(index / entries.length)
  }
}
