import type { Address } from 'viem'
import type { TypedDocument } from './data/document.ts'
import { type ChainEarnings, fetchEarnings } from './data/fetch-earnings.ts'
import { type ChainFloatingIncomes, fetchFloatingIncomes } from './data/fetch-floating-incomes.ts'
import { type ChainPositions, fetchPositions } from './data/fetch-positions.ts'
import { type ChainResult, type DataRequest, queryData } from './data/query-data.ts'
import { createEnvironment, type Environment, type FetchFunction } from './environment.ts'
import { InvalidRequestError } from './errors.ts'
import { type Connection, parseApiKey, parseBaseUrl } from './http/connection.ts'
import { fetchNotes, type NotesAnswer, type NotesFilter } from './notes/fetch-notes.ts'
import { type WatchNotesOptions, watchNotes } from './notes/watch-notes.ts'
import type { NotesState } from './notes/watch-state.ts'
import { fetchRate, type RateAnswer } from './rate/fetch-rate.ts'

/** Where the service is, and how to ask it. */
export type ClientOptions = {
  /** `https://…`; or a path of the page's own site, such as `/tallystick`, where your server adds the key. */
  readonly baseUrl: string
  /** Keep it on a server: whoever can read a page can read the key in it. */
  readonly apiKey?: string | undefined
  /** Chains asked by `data`, `positions`, `earnings` and `floatingIncomes` unless told otherwise; 324 if left out. */
  readonly chains?: readonly number[] | undefined
  /** Instead of the global one. */
  readonly fetch?: FetchFunction | undefined
  /** Ends every call and every watch of this client. */
  readonly signal?: AbortSignal | undefined
  /** For each attempt; 15 if left out. */
  readonly timeoutSeconds?: number | undefined
  /** How often a call that failed is tried again, where that is of use; 3 if left out. */
  readonly retries?: number | undefined
}

type Signalled = { readonly signal?: AbortSignal | undefined }
type OnChains = Signalled & { readonly chains?: readonly number[] | undefined }

/** One service, one key. All functions stand alone: `const { notes } = createClient(…)` works. */
export type Client = {
  /** The notes on offer now. What you got stays good until its `validBefore`; `watchNotes` sees to that. */
  notes(options?: NotesFilter & Signalled): Promise<NotesAnswer>
  /** Fixed, floating and market rates, and whether the protocol is synced. */
  rate(options?: Signalled & { readonly chainId?: number | undefined }): Promise<RateAnswer>
  /**
   * A GraphQL query on some chains: one result for each, in their order, with data or with errors. Throws only where no
   * chain has data.
   */
  data<Result = Readonly<Record<string, unknown>>, Variables = Readonly<Record<string, unknown>>>(
    request: DataRequest<Result, Variables>,
  ): Promise<readonly ChainResult<Result>[]>
  /** All positions a wallet holds, and held last among what is claimed; the newest first, however many. */
  positions(wallet: Address, options?: OnChains): Promise<readonly ChainPositions[]>
  /** What a wallet has earned, and what its positions have accrued at an instant: now, if left out. */
  earnings(
    wallet: Address,
    options?: OnChains & { readonly at?: bigint | undefined },
  ): Promise<readonly ChainEarnings[]>
  /** Every day's floating income, the last first. `floatingAccumulator` makes of it what `floatingIncome` needs. */
  floatingIncomes(options?: OnChains): Promise<readonly ChainFloatingIncomes[]>
  /**
   * Calls back whenever the notes that can be used change, and asks the service only when it must: at the start, at each
   * boundary, after sleep, and until an answer comes where one failed. Goes by the service's time, whatever the local
   * clock says. Gives what ends it.
   */
  watchNotes(callback: (state: NotesState) => void, options?: WatchNotesOptions): () => void
}

/**
 * A client of one service. Nothing is sent until something is asked.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://notes.example', apiKey })
 * const { notes, serverTime } = await client.notes({ chainId: 324, maturity: [7, 30] })
 * for (const note of notes) console.log(note.coupon, note.maturityTimestamp)
 *
 * @example
 * const client = createClient({ baseUrl: 'https://notes.example', apiKey })
 * await new Promise<void>((resolve) => {
 *   const stop = client.watchNotes((state) => {
 *     if (state.status === 'waiting') console.log(`new notes at ${state.until}`)
 *     if (state.status === 'failing') console.log(state.error.message)
 *     if (state.status !== 'ready') return
 *     console.log(`${state.notes.length} notes until ${state.validUntil}`)
 *     stop()
 *     resolve()
 *   })
 * })
 */
export function createClient(options: ClientOptions): Client {
  return createClientIn(createEnvironment(options.fetch), options)
}

/** The same in another world: with its own clock, dice, network and events. */
export function createClientIn(environment: Environment, options: ClientOptions): Client {
  const apiKey = parseApiKey(options.apiKey)
  const connection: Connection = {
    environment,
    apiKey,
    baseUrl: parseBaseUrl(options.baseUrl, apiKey),
    timeoutMs: (options.timeoutSeconds ?? 15) * 1000,
    retries: options.retries ?? 3,
    signal: options.signal,
  }
  const { chains = [324] } = options
  return {
    notes: async (filter = {}) => (await fetchNotes(connection, filter)).answer,
    rate: (filter = {}) => fetchRate(connection, filter),
    data: async <Result, Variables>(request: DataRequest<Result, Variables>) => {
      const { results } = await queryData(connection, {
        query: request.query as string | TypedDocument<unknown, never>,
        variables: request.variables as Readonly<Record<string, unknown>> | undefined,
        chains: request.chains ?? chains,
        operationName: request.operationName,
        signal: request.signal,
      })
      // What a query gives is as its types say: only the service knows the schema.
      return results as readonly ChainResult<Result>[]
    },
    positions: async (wallet, on = {}) =>
      fetchPositions(connection, { ...on, chains: on.chains ?? chains, wallet: parseWallet(wallet) }),
    earnings: async (wallet, on = {}) =>
      fetchEarnings(connection, { ...on, chains: on.chains ?? chains, wallet: parseWallet(wallet) }),
    floatingIncomes: (on = {}) => fetchFloatingIncomes(connection, { ...on, chains: on.chains ?? chains }),
    watchNotes: (callback, watch = {}) => watchNotes(connection, { callback, options: watch }),
  }
}

function parseWallet(wallet: Address): Address {
  // Without the checksum that viem's own check is for: keccak would be a third of the bundle.
  if (/^0x[0-9a-f]{40}$/i.test(wallet)) return wallet
  const message = `${JSON.stringify(wallet)} is not an address: 0x and 40 hex digits.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
