import type { Address } from 'viem'
import { createDefaultChains, fetchChains, type ServiceChain } from './chains/fetch-chains.ts'
import { type ChainEarnings, fetchEarnings } from './data/fetch-earnings.ts'
import { type ChainFloatingIncomes, fetchFloatingIncomes } from './data/fetch-floating-incomes.ts'
import { type ChainPositions, fetchPositions } from './data/fetch-positions.ts'
import { type ChainResult, type DataRequest, queryData, type TypedDocument } from './data/query-data.ts'
import { createEnvironment, type Environment, type FetchFunction } from './environment.ts'
import { InvalidRequestError } from './errors.ts'
import {
  type CalendarOptions,
  type CalendarPeriod,
  type DayRange,
  fetchCalendar,
  fetchHistoryNotes,
  fetchHistoryRate,
  type HistoryDay,
  type HistoryPeriod,
} from './history/fetch-history.ts'
import { type Connection, parseApiKey, parseBaseUrl, parseTimeout } from './http/connection.ts'
import { fetchNotes, type NotesAnswer, type NotesFilter } from './notes/fetch-notes.ts'
import { type WatchNotesOptions, watchNotes } from './notes/watch-notes.ts'
import type { NotesState } from './notes/watch-state.ts'
import { fetchRate, type RateAnswer } from './rate/fetch-rate.ts'

/** Options of `createClient`. */
export type ClientOptions = {
  /** `https://…`, or a path of the page's own site such as `/tallystick`, where your server adds the key. */
  readonly baseUrl: string
  /** Keep the key on a server: everyone who can load a page can read a key in it. */
  readonly apiKey?: string | undefined
  /**
   * Default chains of `data`, `positions`, `earnings` and `floatingIncomes`; by default the service's chains with data, which
   * are fetched once.
   */
  readonly chains?: readonly number[] | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchFunction | undefined
  /** Aborts every call and stops every watch of this client. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of each attempt; 15 by default, at most 2147483. */
  readonly timeoutSeconds?: number | undefined
  /** Maximum retries of a call that failed with a retryable error; 3 by default. */
  readonly retries?: number | undefined
}

type Signalled = { readonly signal?: AbortSignal | undefined }
type OnChains = Signalled & { readonly chains?: readonly number[] | undefined }

/** Client of one service. Its functions can be destructured: `const { notes } = createClient(…)`. */
export type Client = {
  /** Fetches the service's chains: contracts, domains, tenors and limits. It needs no key. */
  chains(options?: Signalled): Promise<readonly ServiceChain[]>
  /** Fetches the notes on offer. A note is valid until its `validBefore`; `watchNotes` replaces it in time. */
  notes(options?: NotesFilter & Signalled): Promise<NotesAnswer>
  /** Fetches the fixed, floating and market rates, and whether the protocol is synced. */
  rate(options?: Signalled & { readonly chainId?: number | undefined }): Promise<RateAnswer>
  /**
   * Iterates over the coupons of past periods and of the current one, newest first. Further pages are fetched as they are
   * needed. Days are New York days, both included; by default all.
   */
  historyNotes(options?: NotesFilter & DayRange & Signalled): AsyncIterable<HistoryPeriod>
  /** Iterates over the fixed and floating rates by day, newest first; by default of the last 30 days. */
  historyRate(options?: Signalled & DayRange & { readonly chainId?: number | undefined }): AsyncIterable<HistoryDay>
  /** Fetches the periods of New York days, ascending. It needs no key. */
  calendar(options?: CalendarOptions): Promise<readonly CalendarPeriod[]>
  /**
   * Runs a GraphQL query on several chains. Returns one result per chain, in order, with data or errors. Throws only if no
   * chain has data.
   */
  data<Result = Readonly<Record<string, unknown>>, Variables = Readonly<Record<string, unknown>>>(
    request: DataRequest<Result, Variables>,
  ): Promise<readonly ChainResult<Result>[]>
  /** Fetches all positions that a wallet holds or held when they were claimed, newest first. */
  positions(wallet: Address, options?: OnChains): Promise<readonly ChainPositions[]>
  /** Fetches a wallet's claimed income and the income accrued at an instant, by default now. */
  earnings(
    wallet: Address,
    options?: OnChains & { readonly at?: bigint | undefined },
  ): Promise<readonly ChainEarnings[]>
  /** Fetches the floating income of every day, newest first. Pass it to `floatingAccumulator` for `floatingIncome`. */
  floatingIncomes(options?: OnChains): Promise<readonly ChainFloatingIncomes[]>
  /**
   * Calls `callback` when the usable notes change. It receives new notes from the service's stream, and requests them at each
   * boundary if there is none. Otherwise it sends a request only at the start, after sleep, and to retry a failed one. It
   * uses the service's time, not the local clock. Returns a function that stops the watch.
   */
  watchNotes(callback: (state: NotesState) => void, options?: WatchNotesOptions): () => void
}

/**
 * Creates a client of one service. It sends nothing until a function is called.
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

/** Creates a client with the given `Environment`. */
export function createClientIn(environment: Environment, options: ClientOptions): Client {
  const apiKey = parseApiKey(options.apiKey)
  const connection: Connection = {
    environment,
    apiKey,
    baseUrl: parseBaseUrl(options.baseUrl, apiKey),
    urlOption: 'baseUrl',
    timeoutMs: parseTimeout(options.timeoutSeconds ?? 15),
    retries: options.retries ?? 3,
    signal: options.signal,
  }
  const defaultChains = createDefaultChains(connection)
  const chainsOf = async ({ chains, signal }: OnChains) => chains ?? options.chains ?? (await defaultChains(signal))
  return {
    chains: (on) => fetchChains(connection, on),
    notes: async (filter = {}) => (await fetchNotes(connection, filter)).answer,
    rate: (filter = {}) => fetchRate(connection, filter),
    historyNotes: (filter = {}) => fetchHistoryNotes(connection, filter),
    historyRate: (filter = {}) => fetchHistoryRate(connection, filter),
    calendar: (days = {}) => fetchCalendar(connection, days),
    data: async <Result, Variables>(request: DataRequest<Result, Variables>) => {
      const { results } = await queryData(connection, {
        query: request.query as string | TypedDocument<unknown, never>,
        variables: request.variables as Readonly<Record<string, unknown>> | undefined,
        chains: await chainsOf(request),
        operationName: request.operationName,
        signal: request.signal,
      })
      // The type is not checked: only the service knows the schema.
      return results as readonly ChainResult<Result>[]
    },
    positions: async (owner, on = {}) => {
      const wallet = parseWallet(owner)
      return fetchPositions(connection, { wallet, chains: await chainsOf(on), signal: on.signal })
    },
    earnings: async (owner, on = {}) => {
      const wallet = parseWallet(owner)
      return fetchEarnings(connection, { wallet, chains: await chainsOf(on), at: on.at, signal: on.signal })
    },
    floatingIncomes: async (on = {}) =>
      fetchFloatingIncomes(connection, { chains: await chainsOf(on), signal: on.signal }),
    watchNotes: (callback, watch = {}) => watchNotes(connection, { callback, options: watch }),
  }
}

function parseWallet(wallet: Address): Address {
  // Without viem's checksum validation: keccak would be a third of the bundle.
  if (/^0x[0-9a-f]{40}$/i.test(wallet)) return wallet
  const message = `${JSON.stringify(wallet)} is not an address. Use 0x and 40 hex digits.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
