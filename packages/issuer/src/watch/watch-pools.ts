import type { MetricHelp, Time, Timer } from '@tallystick/base'
import { ChainError } from '@tallystick/chain'
import type { IssuerHost } from '../issuer-host.ts'
import { type CheckedPool, createPoolCheck, type PoolCheckOptions } from './check-pool.ts'
import { type PoolFinding, type PoolProblems, poolProblems } from './find-pool-problems.ts'
import type { KnownPool } from './pool-source.ts'

/** The last known problems and the last known state of a pool; undefined before the first successful check. */
export type WatchedPool = { readonly problems: PoolProblems | undefined; readonly state: KnownPool | undefined }

export type PoolWatch = {
  /** Returns undefined for a chain without an RPC and without a subgraph. */
  find(chainId: number): WatchedPool | undefined
  stop(): Promise<void>
}

export type PoolWatchOptions = PoolCheckOptions & { readonly host: Pick<IssuerHost, 'metrics'> }

export const poolMetricHelp: MetricHelp = {
  tallystick_pool_problem:
    'ALARM: 1 while a pool is paused, refuses the published notes, has limits they violate, lacks a role or a report of income, or cannot be read (unknown).',
}

const intervalMs = 15_000
// Time to the second check after a refusal. A single answer may come from a node that lags or is faulty.
const confirmMs = 2_000
// Time without an answer after which the state is unknown. Two checks, each of two reads that take the reader's full
// timeout (8 s), still complete within a minute of a change.
const silentMs = 60_000
// A chain without an RPC has a remote subgraph, whose queries may cost money. It is read once a minute.
const indexFactor = 4

/**
 * Checks every pool that has an RPC or a subgraph periodically: pauses, limits, signer, roles, and whether it accepts the
 * published notes. Logs each change once. Withholds the notes that the pool would refuse until it accepts them. If
 * rails.preflight is "require", withholds them for every reason, and resolves after the first checks. Only what two checks
 * in a row find counts, and three for a pause.
 */
export async function watchPools(options: PoolWatchOptions): Promise<PoolWatch> {
  const { host, settings, sources } = options
  const chains = settings.chains.filter(({ id, subgraph }) => subgraph || sources.pools.has(id))
  const stopping = new AbortController()
  const { signal } = stopping
  const watches = new Map(chains.map((chain) => [chain.id, watchPool(options, { chain, signal })]))
  host.metrics.gauge('tallystick_pool_problem', () =>
    [...watches].flatMap(([chain, { problems }]) =>
      poolProblems.map((problem) => ({ labels: { chain, problem }, value: problems()?.has(problem) ? 1 : 0 })),
    ),
  )
  const started = [...watches.values()].map(({ start }) => start())
  if (settings.rails.preflight === 'require') await Promise.all(started)
  return {
    find: (chainId) => {
      const watch = watches.get(chainId)
      return watch && { problems: watch.problems(), state: watch.state() }
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...watches.values()].map(({ settle }) => settle()))
    },
  }
}

function watchPool(options: PoolCheckOptions, { chain, signal }: CheckedPool) {
  const { time, log } = options.host
  const factor = options.sources.pools.has(chain.id) ? 1 : indexFactor
  const check = createPoolCheck(options, { chain, signal })
  const report = createProblemReporter(log, chain.id)
  const silence = startSilence(time, silentMs * factor)
  let problems: PoolProblems | undefined
  let state: KnownPool | undefined
  let running: Promise<void> = Promise.resolve()
  let timer: Timer | undefined

  const fail = (error: unknown) => {
    if (!(error instanceof ChainError)) log.error({ chain: chain.id, err: error }, 'pool check failed; retrying')
    const failure = error instanceof ChainError ? error.message : 'the pool check failed'
    if (silence.isOver()) problems = report(new Map(problems).set('unknown', describeSilence(failure)))
  }
  /** Checks once. Resolves to whether a second check must confirm the result. */
  const checkOnce = async (): Promise<boolean> => {
    try {
      const result = await check()
      if (signal.aborted) return false
      silence.restart()
      state = result.state
      problems = report(result.problems)
      return result.mustConfirm
    } catch (error) {
      if (!signal.aborted) fail(error)
      return false
    }
  }
  const schedule = (mustConfirm: boolean) => {
    if (signal.aborted) return
    const wait = mustConfirm
      ? { name: 'pool confirmation', ms: confirmMs }
      : { name: 'pool check', ms: intervalMs * factor }
    timer = time.setTimer(wait, () => {
      running = checkOnce().then(schedule)
    })
  }
  return {
    problems: () => problems,
    state: () => state,
    /** Starts the checks. Resolves after the first one, or after the second if the first must be confirmed. */
    start: () => {
      running = checkOnce()
        .then((mustConfirm) => mustConfirm && !signal.aborted && checkOnce())
        .then(schedule)
      return running
    },
    settle: async () => {
      timer?.stop()
      silence.stop()
      await running
    },
  }
}

/** Measures how long nothing has answered. */
function startSilence(time: Time, ms: number) {
  let timer: Timer | undefined
  let isOver = false
  const restart = () => {
    timer?.stop()
    isOver = false
    timer = time.setTimer({ name: 'pool silence', ms }, () => {
      isOver = true
    })
  }
  restart()
  return { restart, isOver: () => isOver, stop: () => timer?.stop() }
}

function describeSilence(failure: string): PoolFinding {
  return {
    message: `the pool cannot be read: ${failure}`,
    remedy: 'Fix the RPC, or add another one to chains[].rpc. The service retries automatically.',
    clause: 'the pool cannot be read',
  }
}

/** Creates a function that logs when a problem begins and ends, and returns the problems. */
function createProblemReporter(log: IssuerHost['log'], chain: number) {
  let reported: PoolProblems = new Map()
  return (problems: PoolProblems): PoolProblems => {
    for (const [problem, { message }] of problems) {
      // The operator announced that change.
      const level = problem === 'signer_change' ? 'warn' : 'error'
      if (!reported.has(problem)) log[level]({ chain, problem }, `pool: ${message}`)
    }
    for (const problem of reported.keys()) if (!problems.has(problem)) log.info({ chain, problem }, 'pool: recovered')
    reported = problems
    return problems
  }
}
