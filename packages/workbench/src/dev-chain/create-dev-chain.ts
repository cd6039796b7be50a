import { callAtTime } from './call-at-time.ts'
import type { ChainClock } from './chain-clock.ts'
import type { ChainState } from './chain-state.ts'
import { createMiner } from './create-miner.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Engine } from './open-engine.ts'
import { ownMethods } from './own-methods.ts'
import { readCallParams, readNumber } from './read-params.ts'
import { RpcFailure } from './rpc-failure.ts'

/** A development chain: EDR, with a clock, a miner and a journal of its own. It does one thing after another. */
export type DevChainHandler = {
  /** Handles a request. Returns the answer as text, `{"result":…}` or `{"error":…}`. Throws `RpcFailure`. */
  handle(method: string, params: readonly unknown[]): Promise<string>
  /** Repeats a change that was journaled. */
  replay(entry: JournalEntry): Promise<void>
  /** Journals every change from now on. */
  keepIn(journal: Journal): void
  /** Mines a block if one is due. Called once a second. */
  tick(): Promise<void>
}

export type DevChainParts = { readonly engine: Engine; readonly clock: ChainClock; readonly genesisSecond: number }

export function createDevChain({ engine, clock, genesisSecond }: DevChainParts): DevChainHandler {
  const record = (entry: JournalEntry) => state.journal?.append(entry)
  const state: ChainState = {
    engine,
    clock,
    miner: createMiner({ engine, clock, record, genesisSecond }),
    journal: undefined,
    record,
    snapshots: new Map(),
    snapshotCount: 0,
    automine: true,
    interval: undefined,
    isBlockWanted: false,
  }
  const inTurn = createQueue()
  return {
    // Tools made for anvil send its names for the same methods.
    handle: (method, params) => inTurn(() => handle(state, { method: method.replace(/^anvil_/, 'hardhat_'), params })),
    replay: async ([method, params]) => {
      if (method === 'evm_mine') await state.miner.mine(readNumber(params[0]))
      else await engine.request(method, params)
    },
    keepIn: (journal) => {
      state.journal = journal
    },
    tick: () => inTurn(() => tick(state)),
  }
}

/** Returns a function that runs work after all work before it: a call at another time must not be seen by other requests. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

type Request = { readonly method: string; readonly params: readonly unknown[] }

const changes = /^(eth_send(Raw)?Transaction|evm_setBlockGasLimit|hardhat_(set|drop|impersonate|stopImpersonating).*)$/
// They would mine, undo or move time past the clock and the journal.
const refused = /^(evm_(?!setBlockGasLimit)|hardhat_reset)/
const calls = new Set(['eth_call', 'eth_estimateGas'])
const withLogs = new Set(['eth_getLogs', 'eth_getTransactionReceipt', 'eth_getBlockReceipts'])

async function handle(state: ChainState, { method, params }: Request): Promise<string> {
  // A method may be named like a member that every object has.
  const own = Object.hasOwn(ownMethods, method) ? ownMethods[method] : undefined
  if (!own && refused.test(method)) {
    throw new RpcFailure({ code: -32601, message: `The development chain has no ${method}.` })
  }
  const answer = await (own ? own(state, params).then(formatResult) : forward(state, { method, params }))
  return withLogs.has(method) ? addTimestamps(answer, state.miner.timestamps) : answer
}

function formatResult(result: unknown): string {
  return JSON.stringify({ result: result ?? null })
}

async function forward(state: ChainState, { method, params }: Request): Promise<string> {
  if (calls.has(method)) return call(state, { method, params })
  const answer = await state.engine.send(method, params)
  if (!changes.test(method) || isError(answer)) return answer
  state.record([method, params])
  if (method.startsWith('eth_send')) {
    state.isBlockWanted = true
    if (state.automine) await mineWaiting(state)
  }
  return answer
}

function isError(answer: string): boolean {
  return answer.startsWith('{"error"')
}

async function call(state: ChainState, { method, params }: Request): Promise<string> {
  const { engine, miner, clock, interval } = state
  // While blocks come less often, a call must not see an old time.
  const ageSeconds = clock.now() - miner.headSecond()
  if (interval && ageSeconds >= interval.seconds && interval.idleSeconds > interval.seconds) await miner.mine()
  if (method === 'eth_estimateGas') return restateRevert(await engine.send(method, params))
  const { time, ...rest } = readCallParams(params)
  const isTimed = time !== undefined && time !== miner.headSecond()
  const answer = isTimed
    ? callAtTime(engine, { ...rest, time })
    : engine.send(method, [rest.call, rest.block, rest.stateOverride])
  return restateRevert(await answer)
}

/** Writes the error of a revert as other nodes do: code 3, and the contract's own bytes as `data`. */
function restateRevert(answer: string): string {
  if (!isError(answer)) return answer
  const { error } = JSON.parse(answer) as { error: { message: string; data?: { data?: unknown } | null } }
  if (typeof error.data?.data !== 'string' || !error.message.includes('revert')) return answer
  const message = error.message.replace(/^VM Exception while processing transaction: reverted/, 'execution reverted')
  return JSON.stringify({ error: { code: 3, message, data: error.data.data } })
}

/** Adds the time of its block to each log, so that a reader need not fetch the block. */
function addTimestamps(answer: string, timestamps: readonly number[]): string {
  return answer.replace(/"blockNumber":"(0x[0-9a-f]+)"/g, (member, number) => {
    const second = timestamps[Number(number)]
    return second === undefined ? member : `${member},"blockTimestamp":"0x${second.toString(16)}"`
  })
}

async function tick(state: ChainState): Promise<void> {
  const { interval, clock, miner } = state
  if (!interval || clock.now() % interval.seconds !== 0) return
  if (state.isBlockWanted) await mineWaiting(state)
  else if (clock.now() - miner.headSecond() >= interval.idleSeconds) await miner.mine()
}

async function mineWaiting(state: ChainState): Promise<void> {
  await state.miner.mine()
  // The block may have had no gas left for all of them, and one may wait for another with a lower nonce.
  const waiting = (await state.engine.request('eth_pendingTransactions', [])) as readonly unknown[]
  state.isBlockWanted = waiting.length > 0
}
