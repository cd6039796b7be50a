import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { positionQuery } from '@tallystick/core'
import { sandboxWallets } from '@tallystick/sandbox'
import { createRandom, pick, type Random } from '@tallystick/workbench/random'
import type { Clocks } from '../environment/clocks.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { type ReplicaName, replicaNames } from '../faults/fault.ts'
import { type Allowance, createAllowance } from '../judges/allowance.ts'
import { type Endpoint, embeddedChainId, remoteChainId } from '../judges/explain.ts'
import { type Exchange, noticeMs } from '../judges/judge.ts'
import { type Answer, call } from './call.ts'

export type Load = {
  /** Pauses the load. Resolves when no request is pending and all connections are closed. */
  pause(): Promise<void>
  resume(): void
  stop(): Promise<void>
}

export type LoadOptions = {
  readonly seed: number
  readonly ca: string
  readonly serviceProcesses: Readonly<Record<ReplicaName, ServiceProcess>>
  readonly clocks: Pick<Clocks, 'times' | 'steps'>
  readonly keys: readonly string[]
  readonly limitedKey: string
  readonly modestKey: string
  /** Returns the milliseconds since the start of the load. */
  readonly elapsedMs: () => number
  readonly onExchange: (exchange: Exchange) => void
}

const limitedRpm = 90
const modestRpm = 120
/** Limits of the keys. The first is used up in every minute, the second to 30 %, evenly and on both replicas in turn. */
export const keyLimits = [limitedRpm, modestRpm, null, null, null] as const
const modestWaitMs = 60_000 / (0.3 * modestRpm)
// Gives about 150 requests per second on two replicas: enough coverage, and CPU time left for the other processes.
const callersPerReplica = 4
const thinkMs = 45
const limitedThinkMs = 350

export type Request = {
  readonly endpoint: Endpoint
  readonly path: string
  readonly chains: readonly number[]
  readonly body?: string
}

const bothChains = [remoteChainId, embeddedChainId] as const
const lenders = sandboxWallets().lenders.map(({ address }) => address)
const dataQueries = [
  '{ _meta { block { number hash } } }',
  '{ pools { id activePositions totalPrincipal lastFloatingIncomeDay } }',
  '{ floatingIncomes(first: 3, orderBy: day, orderDirection: desc) { day floatingIncome } }',
] as const

/** Starts clients with several keys on all three endpoints of both replicas, over keep-alive TLS connections. */
export function startLoad(options: LoadOptions): Load {
  const agents: Agent[] = []
  let gate: Promise<void> | undefined
  let open: (() => void) | undefined
  let isStopped = false
  let pending = 0
  const limitedAllowance = createAllowance(limitedRpm)
  const newAgent = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: options.ca })
    agents.push(agent)
    return agent
  }
  const caller = async (replica: ReplicaName, { seed, key, waitMs, limited }: Caller) => {
    const random = createRandom(seed)
    const agent = newAgent()
    const kept = new Map<string, Answer>()
    while (!isStopped) {
      if (gate) await gate
      pending++
      const request = chooseRequest(random)
      const allowance = limited ? limitedAllowance : undefined
      const known = random() < 0.3 ? kept.get(request.path) : undefined
      const made = await exchange(options, { replica, request, key, agent, allowance, known })
      if (made.answer?.status === 200 && made.endpoint === '/notes') kept.set(request.path, made.answer)
      options.onExchange(made)
      pending--
      await setTimeout(waitMs * (0.5 + random()))
    }
  }
  /** Sends requests to both replicas in turn. No fault explains that one is rejected with 429. */
  const modestCaller = async () => {
    const random = createRandom(options.seed + 1_000)
    const agent = newAgent()
    for (let turn = 0; !isStopped; turn++) {
      if (gate) await gate
      pending++
      const startedMs = options.elapsedMs()
      const replica = replicaNames[turn % replicaNames.length] as ReplicaName
      const request = chooseRequest(random)
      const key = options.modestKey
      const made = await exchange(options, { replica, request, key, agent, allowance: undefined, known: undefined })
      options.onExchange(made)
      pending--
      await setTimeout(Math.max(0, startedMs + modestWaitMs - options.elapsedMs()))
    }
  }
  const callers = replicaNames.flatMap((replica, index) => [
    ...Array.from({ length: callersPerReplica }, (_, number) =>
      caller(replica, {
        seed: options.seed + 100 * index + number,
        key: options.keys[number % options.keys.length] as string,
        waitMs: thinkMs,
        limited: false,
      }),
    ),
    caller(replica, { seed: options.seed - index, key: options.limitedKey, waitMs: limitedThinkMs, limited: true }),
  ])
  const modest = modestCaller()
  const pause = async () => {
    gate ??= new Promise((resolve) => {
      open = resolve
    })
    while (pending > 0) await setTimeout(20)
    for (const agent of agents) agent.destroy()
  }
  const resume = () => {
    gate = undefined
    open?.()
  }
  return {
    pause,
    resume,
    stop: async () => {
      isStopped = true
      resume()
      await Promise.all([...callers, modest])
      for (const agent of agents) agent.destroy()
    },
  }
}

type Caller = { readonly seed: number; readonly key: string; readonly waitMs: number; readonly limited: boolean }

/** Chooses a request of an ordinary client. */
export function chooseRequest(random: Random): Request {
  const draw = random()
  if (draw < 0.5) {
    const chain = pick(random, [undefined, undefined, ...bothChains])
    const path =
      chain === undefined ? pick(random, ['/notes', '/notes', '/notes?maturity=7,30']) : `/notes?chainid=${chain}`
    return { endpoint: '/notes', path, chains: chain === undefined ? bothChains : [chain] }
  }
  if (draw < 0.65) return { endpoint: '/rate', path: '/rate', chains: bothChains }
  const chains = pick(random, [[embeddedChainId], [remoteChainId], bothChains, bothChains.toReversed()])
  const walletAddress = pick(random, lenders)
  const isPositions = random() < 0.5
  const query = isPositions ? positionQuery : pick(random, dataQueries)
  const variables = { chains, ...(isPositions && { walletAddress }) }
  return { endpoint: '/data', path: '/data', chains, body: JSON.stringify({ query, variables }) }
}

/** Sends a request to a replica and returns it with its result. */
export async function exchange(
  { serviceProcesses, clocks, elapsedMs }: Pick<LoadOptions, 'serviceProcesses' | 'clocks' | 'elapsedMs'>,
  {
    replica,
    request,
    key,
    agent,
    allowance,
    known,
  }: {
    readonly replica: ReplicaName
    readonly request: Request
    readonly key: string
    readonly agent: Agent
    readonly allowance: Allowance | undefined
    /** Earlier response for a conditional request. */
    readonly known: Answer | undefined
  },
): Promise<Exchange> {
  const { endpoint, path, chains, body } = request
  const headers = {
    'x-api-key': key,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(known?.headers.etag !== undefined && { 'if-none-match': known.headers.etag }),
  }
  const options = { agent, headers, method: body === undefined ? 'GET' : 'POST', body }
  const { runs: run } = serviceProcesses[replica]
  const sentMs = elapsedMs()
  const fromMs = Date.now()
  const result = await call(serviceProcesses[replica].baseUrl + path, options).then(
    // A 304 serves the known body.
    (answer) => ({ answer: answer.status === 304 && known ? { ...answer, body: known.body } : answer }),
    (error: Error) => ({ problem: error.message }),
  )
  const toMs = Date.now()
  const times = clocks.times({ fromMs, toMs })
  const steps = clocks.steps(replica, { fromMs: fromMs - noticeMs, toMs })
  return { replica, run, endpoint, path, chains, allowance, sentMs, receivedMs: elapsedMs(), times, steps, ...result }
}
