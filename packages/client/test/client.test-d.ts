import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { WireNote as CoreWireNote } from '@tallystick/core'
import type {
  Address,
  EIP1193Provider,
  Hex,
  PublicClient,
  SendTransactionParameters,
  SignTypedDataParameters,
  WalletClient,
} from 'viem'
import { expectTypeOf } from 'vitest'
import {
  batchClaimCalldata,
  type CalendarPeriod,
  type ChainResult,
  type Claimability,
  type Client,
  ClientError,
  type ClientErrorCode,
  claimability,
  claimCalldata,
  createClient,
  fixedIncome,
  floatingAccumulator,
  floatingIncome,
  type HistoryPeriod,
  type LoggedNotes,
  type LogPosition,
  lendCalldata,
  type Note,
  type NotesState,
  type OfferedNote,
  type Position,
  permitClaimTypedData,
  permitLendTypedData,
  RateLimitedError,
  type ServiceChain,
  simulateCall,
  verifyLogged,
  verifyNote,
  type WireNote,
} from '../src/index.ts'

// Checked by `npm run types`; nothing here runs.

declare const client: Client
declare const note: OfferedNote
declare const address: Address

export const fetchesFit = [
  createClient({ baseUrl: '', fetch }),
  createClient({ baseUrl: '', fetch: async (url: string) => new Response(url) }),
  createClient({ baseUrl: '', apiKey: undefined, fetch: undefined, signal: undefined, chains: [1] }),
]
// @ts-expect-error the address is needed
createClient({ apiKey: 'a' })
// @ts-expect-error no such option
createClient({ baseUrl: '', apikey: 'a' })

export async function logged() {
  const { notes } = await client.notes()
  const [one] = await verifyLogged(notes, { log: '', key: '' })
  expectTypeOf(one).toEqualTypeOf<LoggedNotes | undefined>()
  // Browsers and the file system return null and promises.
  const storage = { get: (): string | null => null, set: async (): Promise<void> => {} }
  await verifyLogged([note], { log: '', key: '', storage, fetch, signal: undefined, timeoutSeconds: 5 })
  // @ts-expect-error the key is needed
  await verifyLogged(notes, { log: '' })
}

export async function notes() {
  const answer = await client.notes({ chainId: 324, maturity: [7, 14] })
  expectTypeOf(answer.logged).toEqualTypeOf<readonly LogPosition[] | undefined>()
  expectTypeOf(answer.notes).toEqualTypeOf<readonly OfferedNote[]>()
  expectTypeOf(answer.serverTime).toEqualTypeOf<bigint>()
  expectTypeOf<OfferedNote>().toExtend<Note>()
  expectTypeOf(note.coupon).toEqualTypeOf<bigint>()
  expectTypeOf(note.chainId).toEqualTypeOf<number>()
  expectTypeOf(note.signature.v).toEqualTypeOf<27 | 28>()
  // The wire form is that of the service's own schema.
  expectTypeOf<Readonly<CoreWireNote>>().toExtend<WireNote>()
  expectTypeOf<WireNote>().toExtend<CoreWireNote>()
  // @ts-expect-error as numbers only
  await client.notes({ chainId: '324' })
  // @ts-expect-error the answer cannot be changed
  answer.notes.push(note)
}

type Result = { readonly account: { readonly id: string } | null }
declare const withVariables: TypedDocumentNode<Result, { id: string }>
declare const withOptional: TypedDocumentNode<Result, { id?: string }>
declare const withNone: TypedDocumentNode<Result, Record<string, never>>
declare const text: TypedDocumentString<Result, { id: string }>
/** As codegen's client preset writes it. */
declare class TypedDocumentString<R, V> extends String {
  __apiType?: (variables: V) => R
  private value: string
  override toString(): string & { __apiType?: (variables: V) => R }
}

export async function data() {
  const typed = await client.data({ query: withVariables, variables: { id: 'a' }, chains: [324] })
  expectTypeOf(typed).toEqualTypeOf<readonly ChainResult<Result>[]>()
  expectTypeOf(await client.data({ query: text, variables: { id: 'a' } })).toEqualTypeOf<
    readonly ChainResult<Result>[]
  >()
  expectTypeOf(await client.data({ query: withOptional })).toEqualTypeOf<readonly ChainResult<Result>[]>()
  expectTypeOf(await client.data({ query: withNone })).toEqualTypeOf<readonly ChainResult<Result>[]>()
  // @ts-expect-error a variable is missing
  await client.data({ query: withVariables })
  // @ts-expect-error a variable has the wrong type
  await client.data({ query: withVariables, variables: { id: 1 } })

  const named = await client.data<Result>({ query: '{ account }', variables: { anything: 1 } })
  expectTypeOf(named).toEqualTypeOf<readonly ChainResult<Result>[]>()
  const [plain] = await client.data({ query: '{ account }' })
  expectTypeOf(plain).toEqualTypeOf<ChainResult<Readonly<Record<string, unknown>>> | undefined>()
  if (plain?.data === null) expectTypeOf(plain.errors[0]?.message).toEqualTypeOf<string | undefined>()
  // @ts-expect-error there may be none
  plain?.data.account
}

export async function earnings() {
  for (const { positions, errors } of await client.positions(address)) {
    if (positions) expectTypeOf(positions).toEqualTypeOf<readonly Position[]>()
    else expectTypeOf(errors[0]?.code).toEqualTypeOf<string | undefined>()
  }
  const [chain] = await client.floatingIncomes()
  const position = {} as Position
  expectTypeOf(fixedIncome(position, 1n)).toEqualTypeOf<bigint>()
  const accumulator = floatingAccumulator(chain?.days ?? [])
  expectTypeOf(floatingIncome(position, { instantSeconds: 1n, ...accumulator })).toEqualTypeOf<bigint>()
  expectTypeOf(position.status).toExtend<string>()
  // @ts-expect-error a wallet is an address
  await client.positions('wallet')
}

export async function history() {
  for await (const period of client.historyNotes({ chainId: 324, maturity: [7], from: '2026-10-01', to: undefined })) {
    expectTypeOf(period).toEqualTypeOf<HistoryPeriod>()
    expectTypeOf(period.periodStart).toEqualTypeOf<bigint>()
    expectTypeOf(period.logIndex).toEqualTypeOf<number | null>()
  }
  for await (const { day, floatingRate, fixedRates } of client.historyRate({ chainId: 324 })) {
    expectTypeOf(day).toEqualTypeOf<string>()
    expectTypeOf(floatingRate).toEqualTypeOf<bigint | null>()
    expectTypeOf(fixedRates[0]?.coupon).toEqualTypeOf<bigint | undefined>()
  }
  expectTypeOf(await client.calendar({ from: '2026-11-01', days: 7 })).toEqualTypeOf<readonly CalendarPeriod[]>()
  // @ts-expect-error rates have no tenor filter
  client.historyRate({ maturity: 7 })
  // @ts-expect-error a day is a text
  client.historyNotes({ from: 20_000 })
}

export function states(state: NotesState) {
  if (state.status === 'ready') expectTypeOf(state.notes).toEqualTypeOf<readonly OfferedNote[]>()
  if (state.status === 'waiting') expectTypeOf(state.until).toEqualTypeOf<bigint>()
  if (state.status === 'failing') expectTypeOf(state.error).toEqualTypeOf<ClientError>()
  // @ts-expect-error notes are there only when they can be used
  state.notes
}

export function chain() {
  const call = lendCalldata({ pool: address, note, beneficiary: address, principal: 1n })
  expectTypeOf(call).toExtend<Pick<SendTransactionParameters, 'to' | 'data' | 'value'>>()
  expectTypeOf(call.data).toEqualTypeOf<Hex>()
  expectTypeOf(permitLendTypedData).returns.toExtend<Pick<SignTypedDataParameters, 'domain' | 'primaryType'>>()
  expectTypeOf(permitClaimTypedData).returns.toHaveProperty('message')
  expectTypeOf(verifyNote).returns.resolves.toHaveProperty('valid')
  const withRequest = { from: address, call }
  const providers: { wallet: WalletClient; node: PublicClient; injected: EIP1193Provider } = {} as never
  const untyped = {} as { request(request: { method: string; params?: unknown[] }): Promise<unknown> }
  expectTypeOf(simulateCall(providers.wallet, withRequest)).resolves.toHaveProperty('ok')
  expectTypeOf(simulateCall(providers.node, withRequest)).resolves.toHaveProperty('ok')
  expectTypeOf(simulateCall(providers.injected, withRequest)).resolves.toHaveProperty('ok')
  expectTypeOf(simulateCall(untyped, withRequest)).resolves.toHaveProperty('ok')
  // @ts-expect-error a number can lose digits
  lendCalldata({ pool: address, note, beneficiary: address, principal: 1000 })
}

export async function claims() {
  const [held] = await client.positions(address)
  const [position] = held?.positions ?? []
  if (!position) return
  const reported = { ...floatingAccumulator([]), now: 1n }
  expectTypeOf(claimability(position, reported)).toEqualTypeOf<Claimability>()
  const claim = { pool: address, beneficiary: address }
  expectTypeOf(claimCalldata({ ...position, ...claim, reported }).data).toEqualTypeOf<Hex>()
  claimCalldata({ ...claim, tokenId: 1n, acceptMissingIncome: true })
  batchClaimCalldata({ pool: address, claims: [{ ...position, beneficiary: address }], reported })
  // @ts-expect-error without the terms, nothing says whether the claim loses income
  claimCalldata({ ...claim, tokenId: 1n, reported })
  // @ts-expect-error without what is reported neither
  claimCalldata({ ...claim, tokenId: 1n, acceptMissingIncome: false })
}

export async function chains() {
  const [first] = await client.chains()
  expectTypeOf(first).toEqualTypeOf<ServiceChain | undefined>()
  if (!first?.dollar?.domain) return
  const permit = { chainId: 324, owner: address, pool: first.pool, principal: 1n, nonce: 0n, deadline: 1n }
  permitLendTypedData({ ...permit, token: { ...first.dollar.domain, address: first.dollar.address } })
  // @ts-expect-error the domain may be unknown
  first.positionToken?.domain.name
}

export function errors(error: unknown) {
  if (error instanceof RateLimitedError) expectTypeOf(error.name).toEqualTypeOf<'RateLimitedError'>()
  if (error instanceof ClientError) expectTypeOf(error.code).toEqualTypeOf<ClientErrorCode>()
  expectTypeOf<'notes_unavailable' | 'timeout'>().toExtend<ClientErrorCode>()
}
