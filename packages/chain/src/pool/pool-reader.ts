import { setMaxListeners } from 'node:events'
import { poolAbi } from '@tallystick/contracts'
import { accFloatingIncome, validatePriceFeed } from '@tallystick/contracts/pool-functions'
import type { Note } from '@tallystick/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { createRpcEndpoint, type RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { createRpcPool } from '../rpc/rpc-pool.ts'
import { callContract } from './call-contract.ts'
import { decodeGetter } from './decode-getter.ts'
import { describeRevert, type RevertReason } from './describe-revert.ts'
import { createReadPoolState, type PoolPauses, type PoolState, readPauses } from './read-pool-state.ts'

/** The pool's getters without arguments. */
export type PoolViews = {
  readonly DOMAIN_SEPARATOR: Hex
  readonly verifierSigner: Address
  readonly paused: boolean
  readonly minLendLimit: bigint
  readonly maxCouponLimit: bigint
  readonly minMaturityLimit: bigint
  readonly isFloatingIncomeSynced: boolean
  readonly lastFloatingIncomeUpdateDay: bigint
}

export type PoolValues<Name extends keyof PoolViews> = {
  /** Undefined where the pool has no such getter. */
  readonly [Key in Name]: PoolViews[Key] | undefined
}

/** What `validatePriceFeed` says to some notes. */
export type PoolVerdict =
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'refused'
      readonly note: Note
      readonly reason: RevertReason | 'no_code'
      readonly message: string
    }
  /** The node cannot be asked about another time than its newest block's. */
  | { readonly outcome: 'time_unsupported'; readonly message: string }

/** A pool on its chain. Every method throws `ChainError` where no RPC of that chain gives a usable answer in time. */
export type PoolReader = {
  readonly chainId: number
  /** What is wrong with which RPC, if anything: hosts only, nothing of a URL. */
  readonly problem: string | undefined
  /** Whether there is a contract at an address, the pool's own by default. */
  hasCode(address?: Address, signal?: AbortSignal): Promise<boolean>
  read<Name extends keyof PoolViews>(names: readonly Name[], signal?: AbortSignal): Promise<PoolValues<Name>>
  /** The running sum of the daily floating incomes up to a UTC day; undefined where the pool has no such getter. */
  readAccFloatingIncome(day: bigint, signal?: AbortSignal): Promise<bigint | undefined>
  readPauses(signal?: AbortSignal): Promise<PoolPauses>
  /** Which of its contracts are paused, and its limits. */
  readState(signal?: AbortSignal): Promise<PoolState>
  /** Whether the pool takes every one of these notes, at the newest block's time or another. */
  validate(notes: readonly Note[], options?: ValidateOptions): Promise<PoolVerdict>
  /** Breaks off what is under way. */
  close(): void
}

export type ValidateOptions = { readonly atSeconds?: bigint | undefined; readonly signal?: AbortSignal | undefined }

export type PoolReaderOptions = {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly pool: Address
  /** What one call may take in all, whichever servers it asks. */
  readonly deadlineMs?: number | undefined
}

const timeoutMs = 3_000
// The largest answer here is the code of a contract, which EIP-170 holds under 24 KiB.
const answerBytesMax = 1_048_576
const silent = { info: () => undefined, warn: () => undefined }

/**
 * Reads a pool over the chain's RPCs: the first that is well is asked, the next one if it fails, and none is believed
 * before it has said that it is of the right chain.
 */
export function createPoolReader(options: PoolReaderOptions): PoolReader {
  const { chainId, rpcUrls, pool, deadlineMs = 8_000 } = options
  const closing = new AbortController()
  // Each call under way listens to it, and two sets of notes are twenty at once: that many are no leak.
  setMaxListeners(0, closing.signal)
  const endpoints = rpcUrls.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal: closing.signal }))
  const servers = createRpcPool({ endpoints, chainId, log: silent })
  const readState = createReadPoolState(pool)
  const ask = <Result>(work: (endpoint: RpcEndpoint) => Promise<Result>, signal?: AbortSignal): Promise<Result> =>
    withDeadline(servers.run(work), { deadlineMs, signal }).catch((error: unknown) => {
      if (error instanceof ChainError) throw error
      throw new ChainError(servers.problem ?? `no RPC of chain ${chainId} gives a usable answer.`, { cause: error })
    })
  return {
    chainId,
    get problem() {
      return servers.problem
    },
    hasCode: (address = pool, signal) => ask((endpoint) => hasCode(endpoint, address), signal),
    read: <Name extends keyof PoolViews>(names: readonly Name[], signal?: AbortSignal) =>
      ask(async (endpoint) => {
        const read = async (name: Name) => {
          const data = encodeFunctionData({ abi: poolAbi, functionName: name } as never)
          return [name, decodeGetter(name, await callContract(endpoint, { to: pool, data }))] as const
        }
        return Object.fromEntries(await Promise.all(names.map(read))) as PoolValues<Name>
      }, signal),
    readAccFloatingIncome: (day, signal) =>
      ask(async (endpoint) => {
        const data = encodeFunctionData({ abi: [accFloatingIncome], args: [day] })
        return decodeGetter('accFloatingIncome', await callContract(endpoint, { to: pool, data })) as bigint | undefined
      }, signal),
    readPauses: (signal) => ask((endpoint) => readPauses(endpoint, pool), signal),
    readState: (signal) => ask(readState, signal),
    validate: (notes, { atSeconds, signal } = {}) =>
      ask((endpoint) => validateNotes(endpoint, { pool, notes, atSeconds }), signal),
    close: () => closing.abort(),
  }
}

async function hasCode(endpoint: RpcEndpoint, address: Address): Promise<boolean> {
  const code = await endpoint.call({ method: 'eth_getCode', params: [address, 'latest'] })
  return typeof code === 'string' && code.length > '0x'.length
}

async function validateNotes(
  endpoint: RpcEndpoint,
  {
    pool,
    notes,
    atSeconds,
  }: { readonly pool: Hex; readonly notes: readonly Note[]; readonly atSeconds: bigint | undefined },
): Promise<PoolVerdict> {
  const [isThere, ...verdicts] = await Promise.all([
    hasCode(endpoint, pool),
    ...notes.map((note) => validateNote(endpoint, { pool, note, atSeconds })),
  ])
  // An address without code answers every call with success.
  const [note] = notes
  if (!isThere && note) {
    return {
      outcome: 'refused',
      note,
      reason: 'no_code',
      message: `there is no contract at the pool’s address ${pool}`,
    }
  }
  return (
    verdicts.find(({ outcome }) => outcome === 'time_unsupported') ??
    verdicts.find(({ outcome }) => outcome === 'refused') ?? { outcome: 'accepted' }
  )
}

async function validateNote(
  endpoint: RpcEndpoint,
  { pool, note, atSeconds }: { readonly pool: Hex; readonly note: Note; readonly atSeconds: bigint | undefined },
): Promise<PoolVerdict> {
  const data = encodeFunctionData({ abi: [validatePriceFeed], args: [note, note.signature] })
  const outcome = await callContract(endpoint, { to: pool, data, atSeconds })
  if ('value' in outcome) return { outcome: 'accepted' }
  if ('timeUnsupported' in outcome) return { outcome: 'time_unsupported', message: outcome.message }
  const { reason, message } = describeRevert(outcome.revert)
  // Some nodes take the override and pass over it: the pool then speaks of the newest block's time.
  const isInWindow = atSeconds !== undefined && note.validAfter < atSeconds && atSeconds < note.validBefore
  if (isInWindow && (reason === 'FeedNotYetValid' || reason === 'FeedExpired')) {
    return { outcome: 'time_unsupported', message: 'passed over the block time it was asked about' }
  }
  return { outcome: 'refused', note, reason, message }
}

/** By hand, not by `AbortSignal.any`: on a signal that lives long that one keeps every call's memory in Node 20. */
async function withDeadline<Result>(
  work: Promise<Result>,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal | undefined },
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChainError(`the chain gave no answer within ${deadlineMs} ms.`)), deadlineMs)
    onAbort = () => reject(new ChainError('the call to the chain was broken off.', { cause: signal?.reason }))
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
  // Whichever loses is nobody's concern any more.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
    if (onAbort) signal?.removeEventListener('abort', onAbort)
  }
}

/** No RPC of a chain gave a usable answer. The message names hosts at most. */
export class ChainError extends Error {
  override readonly name = 'ChainError' as const
  readonly retryable = true
}
