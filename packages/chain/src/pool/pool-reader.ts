import { setMaxListeners } from 'node:events'
import type { Note } from '@tallystick/core'
import type { Address, Hex } from 'viem'
import type { ChainIdentity } from '../rpc/chain-identity.ts'
import { createRpcEndpoint, type RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { createRpcPool } from '../rpc/rpc-pool.ts'
import { createCheckWiring, type PoolWiring, type WiringOptions } from './check-wiring.ts'
import { type PoolContracts, readContracts } from './read-contracts.ts'
import { type PoolFloatingIncome, readFloatingIncome } from './read-floating-income.ts'
import { readGetter } from './read-getter.ts'
import { createReadPoolState, type PoolPauses, type PoolState, readPauses } from './read-pool-state.ts'
import { hasCode, type PoolVerdict, validateNotes } from './validate-notes.ts'

/** Values of the pool's getters. A value is undefined if the pool does not have the getter. */
export type PoolViews = {
  readonly DOMAIN_SEPARATOR: Hex | undefined
  readonly isFloatingIncomeSynced: boolean | undefined
  readonly lastFloatingIncomeUpdateDay: bigint | undefined
}

const views = ['DOMAIN_SEPARATOR', 'isFloatingIncomeSynced', 'lastFloatingIncomeUpdateDay'] as const

/** Reader of a pool. Every method throws `ChainError` if no RPC of the chain returns a usable response in time. */
export type PoolReader = {
  readonly chainId: number
  /** Description of the RPCs that fail, or undefined. It names hosts only. */
  readonly problem: string | undefined
  /** Returns whether there is a contract at an address, by default the pool's. */
  hasCode(address?: Address): Promise<boolean>
  readViews(): Promise<PoolViews>
  readPauses(signal?: AbortSignal): Promise<PoolPauses>
  /** Returns the last floating income and its block, or undefined if the pool does not have the getters. */
  readFloatingIncome(signal?: AbortSignal): Promise<PoolFloatingIncome | undefined>
  /** Returns the contracts that the pool names, with the facts that a lend needs. */
  readContracts(): Promise<PoolContracts>
  /** Returns which contracts of the pool are paused, its limits and its signer. */
  readState(signal?: AbortSignal): Promise<PoolState>
  /** Returns whether the pool accepts all of these notes, by default at the newest block's time. */
  validate(notes: readonly Note[], options?: ValidateOptions): Promise<PoolVerdict>
  /** Returns whether the pool and its tokens work together, by simulated calls. */
  checkWiring(options: WiringOptions, signal?: AbortSignal): Promise<PoolWiring>
  /** Aborts pending calls. */
  close(): void
}

type ValidateOptions = {
  readonly atSeconds?: bigint | undefined
  /** Whether the limits are known, so that they need not be probed with a second call for each note. */
  readonly knowsLimits?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export type PoolReaderOptions = {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  /** Shared by everything in the process that uses the chain. By default the reader has its own. */
  readonly identity?: ChainIdentity | undefined
  readonly pool: Address
  /** Block of the pool's deployment, or one before it; 0 by default. Its logs are read from there. */
  readonly startBlock?: number | undefined
  /** Time limit of one method call, over all RPCs it tries. */
  readonly deadlineMs?: number | undefined
}

const timeoutMs = 3_000
// The largest response is the code of a contract, which EIP-170 limits to 24 KiB.
const answerBytesMax = 1_048_576
const silent = { info: () => undefined, warn: () => undefined }

/** Creates a reader of a pool that uses the first healthy RPC of its chain. */
export function createPoolReader(options: PoolReaderOptions): PoolReader {
  const { chainId, rpcUrls, identity, pool, startBlock, deadlineMs = 8_000 } = options
  const closing = new AbortController()
  // Every pending call adds a listener, and two note sets are twenty calls at once. That is not a leak.
  setMaxListeners(0, closing.signal)
  const endpoints = rpcUrls.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal: closing.signal }))
  const rpcPool = createRpcPool({ endpoints, chainId, identity, log: silent })
  const readState = createReadPoolState(pool, startBlock)
  const checkWiring = createCheckWiring(pool)
  const run = <Result>(work: (endpoint: RpcEndpoint) => Promise<Result>, signal?: AbortSignal): Promise<Result> =>
    withDeadline(rpcPool.run(work), { deadlineMs, signal }).catch((error: unknown) => {
      if (error instanceof ChainError) throw error
      throw new ChainError(rpcPool.problem ?? `no RPC of chain ${chainId} returned a usable response.`, {
        cause: error,
      })
    })
  return {
    chainId,
    get problem() {
      return rpcPool.problem
    },
    hasCode: (address = pool) => run((endpoint) => hasCode(endpoint, address)),
    readViews: () =>
      run(async (endpoint) => {
        const read = async (getter: string) => [getter, await readGetter(endpoint, { to: pool, getter })] as const
        return Object.fromEntries(await Promise.all(views.map(read))) as PoolViews
      }),
    readPauses: (signal) => run((endpoint) => readPauses(endpoint, pool), signal),
    readFloatingIncome: (signal) => run((endpoint) => readFloatingIncome(endpoint, pool), signal),
    readContracts: () => run((endpoint) => readContracts(endpoint, { pool, chainId })),
    readState: (signal) => run(readState, signal),
    validate: (notes, { atSeconds, knowsLimits = false, signal } = {}) =>
      run((endpoint) => validateNotes(endpoint, { pool, notes, atSeconds, knowsLimits }), signal),
    checkWiring: (wiring, signal) => run((endpoint) => checkWiring(endpoint, wiring), signal),
    close: () => closing.abort(),
  }
}

/** Not `AbortSignal.any`: on a signal that lives as long as the process, it leaks the memory of every call in Node 20. */
async function withDeadline<Result>(
  work: Promise<Result>,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal | undefined },
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChainError(`the chain did not respond within ${deadlineMs} ms.`)), deadlineMs)
    onAbort = () => reject(new ChainError('the call to the chain was aborted.', { cause: signal?.reason }))
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
  // The work may fail after the deadline, when nothing awaits it.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
    if (onAbort) signal?.removeEventListener('abort', onAbort)
  }
}

/** Error thrown when no RPC of a chain returned a usable response. The message names hosts only. */
export class ChainError extends Error {
  override readonly name = 'ChainError' as const
  readonly retryable = true
}
