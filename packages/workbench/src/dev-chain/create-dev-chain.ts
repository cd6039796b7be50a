import { callAtTime } from './call-at-time.ts'
import type { Engine } from './create-engine.ts'
import { type ChainClock, createMiner } from './create-miner.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { type ChainState, ownMethods } from './own-methods.ts'
import { readCallParams, readNumber } from './read-params.ts'
import { RpcFailure } from './rpc-failure.ts'

/** Development chain: EDR with its own clock, miner and journal. It handles one request at a time. */
export type DevChainHandler = ReturnType<typeof createDevChain>

export type DevChainParts = { readonly engine: Engine; readonly clock: ChainClock; readonly genesisSecond: number }

export function createDevChain({ engine, clock, genesisSecond }: DevChainParts) {
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
    /** Handles a request. Returns the response as text, `{"result":…}` or `{"error":…}`. Throws `RpcFailure`. */
    handle: (method: string, params: readonly unknown[]) =>
      // Tools for anvil use its names of the same methods.
      inTurn(() => handle(state, { method: method.replace(/^anvil_/, 'hardhat_'), params })),
    /** Repeats a journaled change. */
    replay: async ([method, params]: JournalEntry) => {
      if (method === 'evm_mine') await state.miner.mine(readNumber(params[0]))
      else await engine.request(method, params)
    },
    /** Journals all further changes. */
    recordTo: (journal: Journal) => {
      state.journal = journal
    },
    /** Mines a block if one is due. Called once per second. */
    tick: () => inTurn(() => tick(state)),
  }
}

/** Returns a function that runs work one after another, so that no request sees the block of a call at another time. */
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
// EDR's versions would bypass the clock and the journal.
const refused = /^(evm_(?!setBlockGasLimit)|hardhat_reset)/
const calls = new Set(['eth_call', 'eth_estimateGas'])
const withLogs = new Set(['eth_getLogs', 'eth_getTransactionReceipt', 'eth_getBlockReceipts'])

async function handle(state: ChainState, { method, params }: Request): Promise<string> {
  // A method name may be a member of Object.prototype.
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
    if (state.automine) await minePending(state)
  }
  return answer
}

function isError(answer: string): boolean {
  return answer.startsWith('{"error"')
}

async function call(state: ChainState, { method, params }: Request): Promise<string> {
  const { engine, miner, clock, interval } = state
  // With a long idle interval, a call must not see an old time.
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

/** Formats a revert as other nodes do: code 3 and the contract's data as `data`. */
function restateRevert(answer: string): string {
  if (!isError(answer)) return answer
  const { error } = JSON.parse(answer) as { error: { message: string; data?: { data?: unknown } | null } }
  if (typeof error.data?.data !== 'string' || !error.message.includes('revert')) return answer
  const message = error.message.replace(/^VM Exception while processing transaction: reverted/, 'execution reverted')
  return JSON.stringify({ error: { code: 3, message, data: error.data.data } })
}

/** Adds the block time to each log, so that clients need not fetch the block. */
function addTimestamps(answer: string, timestamps: readonly number[]): string {
  return answer.replace(/"blockNumber":"(0x[0-9a-f]+)"/g, (member, number) => {
    const second = timestamps[Number(number)]
    return second === undefined ? member : `${member},"blockTimestamp":"0x${second.toString(16)}"`
  })
}

async function tick(state: ChainState): Promise<void> {
  const { interval, clock, miner } = state
  if (!interval || clock.now() % interval.seconds !== 0) return
  if (state.isBlockWanted) await minePending(state)
  else if (clock.now() - miner.headSecond() >= interval.idleSeconds) await miner.mine()
}

async function minePending(state: ChainState): Promise<void> {
  await state.miner.mine()
  // The block may not have gas for all of them, or a transaction with a lower nonce may be missing.
  const pending = (await state.engine.request('eth_pendingTransactions', [])) as readonly unknown[]
  state.isBlockWanted = pending.length > 0
}
