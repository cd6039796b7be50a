import { type Account, type Address, type Client, type Hash, isAddress } from 'viem'
import { getBlock, getChainId } from 'viem/actions'
import { parseAccount } from 'viem/utils'
import type { Call } from '../chain/simulate-call.ts'
import { InvalidRequestError } from '../errors.ts'
import { parseTimeout } from '../http/connection.ts'
import type { RevertParties } from '../revert/explanation.ts'
import { readAccountKind } from './account-kind.ts'
import type { ActionOptions, ActionStep, TallystickActionsOptions } from './action-options.ts'
import { TransactionError, toTransactionError } from './transaction/transaction-error.ts'

/** One run of an action. */
export type ActionContext = {
  readonly client: Client
  readonly account: Account
  readonly owner: Address
  readonly pool: Address
  readonly chainId: number
  readonly beneficiary: Address
  /** For the explanation of a revert. */
  readonly parties: RevertParties
  /** Whether the account is a contract, which cannot sign a permit. */
  readonly isContract: boolean
  /** Approvals that go with the next transaction. Undefined if the wallet sends each call in one of its own. */
  readonly batch: Call[] | undefined
  readonly confirmations: bigint
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Reports a step. Throws the signal's reason if the action was aborted. */
  step(kind: ActionStep['kind'], hash?: Hash, callsId?: string): void
  /** Returns the chain's time in Unix seconds, at the earliest. */
  chainTime(): Promise<bigint>
  /** Throws if the wallet is not connected to the chain of the action. */
  assertChain(): Promise<void>
}

export type ActionParts = {
  readonly client: Client
  readonly defaults: TallystickActionsOptions
  readonly options: ActionOptions
  /** Chain of the note; for claims the chain of the wallet. */
  readonly chainId?: number | undefined
}

/** Actions in progress by chain and account. An account's actions run one after another. */
const running = new Map<string, Promise<unknown>>()

/**
 * Runs an action after all earlier ones of the same account: two permits at once would have the same nonce, and two lends
 * would use the same allowance.
 */
export async function runAction<Result>(
  parts: ActionParts,
  run: (context: ActionContext) => Promise<Result>,
): Promise<Result> {
  const { client, defaults, options } = parts
  try {
    const account = parseAccountOf(client, options)
    const walletChainId = await getChainId(client)
    const chainId = parts.chainId ?? walletChainId
    const sender = createContext({ client, defaults, options, account, chainId })
    const kind = await readAccountKind(client, { address: account.address, chainId })
    const batch = kind === 'batching_contract' ? [] : undefined
    const context = { ...sender, isContract: kind !== 'key', batch }
    return await inTurn(`${chainId}:${account.address.toLowerCase()}`, () => {
      options.signal?.throwIfAborted()
      return run(context)
    })
  } catch (error) {
    throw toTransactionError(error, options.signal)
  }
}

async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const done = (running.get(key) ?? Promise.resolve()).then(work)
  const settled = done.catch(() => undefined)
  running.set(key, settled)
  try {
    return await done
  } finally {
    if (running.get(key) === settled) running.delete(key)
  }
}

function createContext(
  parts: ActionParts & { readonly account: Account; readonly chainId: number },
): Omit<ActionContext, 'isContract' | 'batch'> {
  const { client, options, defaults, account, chainId } = parts
  const given = options.pool ?? defaults.pools?.[chainId]
  if (given === undefined) throw unknownPool(chainId, defaults)
  const pool = parseAddress(given, 'pool')
  const beneficiary = parseAddress(options.beneficiary ?? account.address, 'beneficiary')
  return {
    client,
    account,
    owner: account.address,
    pool,
    chainId,
    beneficiary,
    parties: { sender: account.address, beneficiary, pool },
    confirmations: BigInt(options.confirmations ?? 1),
    timeoutMs: parseTimeout(options.timeoutSeconds ?? 180),
    signal: options.signal,
    step: (kind, hash, callsId) => {
      const sent = { ...(hash === undefined ? {} : { hash }), ...(callsId === undefined ? {} : { callsId }) }
      // A transaction that was sent cannot be stopped. Its receipt is awaited and reported.
      if (hash === undefined && callsId === undefined) options.signal?.throwIfAborted()
      options.onStep?.({ kind, ...sent })
    },
    chainTime: createChainTime(client, defaults),
    assertChain: async () => {
      const walletChainId = await getChainId(client)
      if (walletChainId === chainId) return
      const message = `The wallet is connected to chain ${walletChainId}. Switch it to chain ${chainId}.`
      throw new TransactionError({ code: 'wrong_chain', message, details: { chainId, walletChainId } })
    },
  }
}

function parseAccountOf(client: Client, options: ActionOptions): Account {
  const account = options.account ?? client.account
  if (account) return parseAccount(account)
  const message = 'The wallet client has no account. Pass one to createWalletClient, or as `account`.'
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

function unknownPool(chainId: number, { pools = {} }: TallystickActionsOptions): InvalidRequestError {
  const known = Object.keys(pools).join(', ')
  const message = `\`pools\` has no pool for chain ${chainId}${known ? `, only for ${known}` : ''}. Add it to tallystickActions({ pools }), or pass \`pool\`.`
  return new InvalidRequestError({ code: 'invalid_request', message, details: { chainId } })
}

function parseAddress(value: Address, option: string): Address {
  if (isAddress(value, { strict: false })) return value
  const message = `\`${option}\` ${JSON.stringify(value)} is not an address.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

/**
 * Returns a function that reads the chain's time. A chain without transactions may have no new block for a long time, so the
 * time that passed since the first call counts too. The local clock itself may be wrong and is not used.
 */
function createChainTime(client: Client, { now }: TallystickActionsOptions): () => Promise<bigint> {
  let first: { readonly timestamp: bigint; readonly at: number } | undefined
  return async () => {
    const { timestamp } = await getBlock(client, { blockTag: 'latest' })
    const at = performance.now()
    first ??= { timestamp, at }
    const elapsed = BigInt(Math.floor((at - first.at) / 1000))
    const times = [timestamp, first.timestamp + elapsed, now?.() ?? 0n]
    return times.reduce((latest, time) => (time > latest ? time : latest))
  }
}
