import { ChainError, type PoolLimits, type PoolReader } from '@tallystick/chain'
import { periodAfter, periodAt } from '@tallystick/core'
import { toSeconds } from '../../clock.ts'
import type { ChainConfig } from '../../config.ts'
import type { MetricHelp, Metrics } from '../../metrics.ts'
import { runPreflight } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import type { Signer } from '../signers/signer.ts'
import { findPoolProblems, type PoolProblem, type PoolProblems, poolProblems } from './find-pool-problems.ts'
import { findWithholding, type PreflightedSet } from './find-withholding.ts'
import type { KnownPool, ReadPool } from './pool-source.ts'
import { createNoteWithholder, type WithholdOptions } from './withhold-notes.ts'

/** The last known problems and the last known state of a pool; undefined before the first successful check. */
export type WatchedPool = { readonly problems: PoolProblems | undefined; readonly state: KnownPool | undefined }

export type PoolWatch = {
  /** Returns undefined for a chain without an RPC and without a subgraph. */
  find(chainId: number): WatchedPool | undefined
  stop(): Promise<void>
}

export type PoolWatchIntervals = {
  /** Time between two checks of a pool. */
  readonly intervalMs: number
  /** Time to the second check after a refusal. A single answer may come from a node that lags or is faulty. */
  readonly confirmMs: number
  /** Time without an answer after which the state is unknown. */
  readonly staleMs: number
}

export type PoolWatchOptions = WithholdOptions & {
  /** By chain id, for chains with an RPC. Notes of other chains cannot be validated. */
  readonly pools: ReadonlyMap<number, Pick<PoolReader, 'validate'>>
  readonly readPool: ReadPool
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Pick<Signer, 'address'>>
  readonly metrics: Metrics
  readonly monotonicNow: () => number
  readonly times?: PoolWatchIntervals | undefined
}

export const poolMetricHelp: MetricHelp = {
  tallystick_pool_problem:
    'ALARM: 1 while a pool is paused, refuses the published notes, has limits they violate, or cannot be read (unknown).',
}

// A chain without an RPC has a remote subgraph, whose queries may cost money. It is read once a minute.
const indexFactor = 4
// Two checks, each of two reads that take the reader's full timeout (8 s), still complete within a minute of a change.
const defaultTimes: PoolWatchIntervals = { intervalMs: 15_000, confirmMs: 2_000, staleMs: 60_000 }

/**
 * Checks every pool that has an RPC or a subgraph periodically: pauses, limits, and whether it accepts the published notes.
 * Logs each change once. Withholds notes beyond the pool's limits until it accepts them. If rails.preflight is "require",
 * withholds all notes that the pool refuses, and resolves after the first checks. Only what two checks in a row find counts.
 */
export async function watchPools(options: PoolWatchOptions): Promise<PoolWatch> {
  const chains = options.config.chains.filter(({ id, subgraph }) => subgraph || options.pools.has(id))
  const stopping = new AbortController()
  const watches = new Map(chains.map((chain) => [chain.id, watchPool(chain, { ...options, signal: stopping.signal })]))
  options.metrics.gauge('tallystick_pool_problem', () =>
    [...watches].flatMap(([chain, { problems }]) =>
      poolProblems.map((problem) => ({ labels: { chain, problem }, value: problems()?.has(problem) ? 1 : 0 })),
    ),
  )
  const started = [...watches.values()].map(({ start }) => start())
  if (options.config.rails.preflight === 'require') await Promise.all(started)
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

type SinglePoolWatch = {
  problems(): PoolProblems | undefined
  state(): KnownPool | undefined
  /** Starts the checks. Resolves after the first one, or after the second if the first must be confirmed. */
  start(): Promise<void>
  settle(): Promise<void>
}

function watchPool(chain: ChainConfig, options: PoolWatchOptions & { readonly signal: AbortSignal }): SinglePoolWatch {
  const { monotonicNow, signal } = options
  const times = timesOf(options.times ?? defaultTimes, { hasRpc: options.pools.has(chain.id) })
  const readProblems = createProblemReader(chain, options)
  const report = createProblemReporter(chain, options)
  let problems: PoolProblems | undefined
  let state: KnownPool | undefined
  let answeredAtMs = monotonicNow()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const checkOnce = async (): Promise<{ readonly mustConfirm: boolean }> => {
    const result = await readProblems().catch((error: unknown) => {
      if (!(error instanceof ChainError) && !signal.aborted) {
        options.log.error({ chain: chain.id, err: error }, 'pool check failed; retrying')
      }
      return { failure: error instanceof ChainError ? error.message : 'the pool check failed' }
    })
    if (signal.aborted) return { mustConfirm: false }
    if (!('failure' in result)) {
      answeredAtMs = monotonicNow()
      state = result.state
    }
    const known = 'failure' in result ? problems : result.problems
    const isStale = 'failure' in result && monotonicNow() - answeredAtMs >= times.staleMs
    if (known || isStale) {
      const failure = 'failure' in result ? result.failure : ''
      const unknown: [PoolProblem, string][] = isStale ? [['unknown', `the pool cannot be read: ${failure}`]] : []
      problems = report(new Map([...(known ?? []), ...unknown]))
    }
    return { mustConfirm: !('failure' in result) && result.mustConfirm }
  }
  const schedule = (delayMs: number) => {
    if (signal.aborted) return
    timer = setTimeout(() => {
      running = checkOnce().then(({ mustConfirm }) => schedule(mustConfirm ? times.confirmMs : times.intervalMs))
    }, delayMs)
    timer.unref()
  }
  return {
    problems: () => problems,
    state: () => state,
    start: () => {
      running = checkOnce()
        .then(async ({ mustConfirm }) => (mustConfirm && !signal.aborted ? checkOnce() : { mustConfirm: false }))
        .then(({ mustConfirm }) => schedule(mustConfirm ? times.confirmMs : times.intervalMs))
      return running
    },
    settle: async () => {
      clearTimeout(timer)
      await running
    },
  }
}

function timesOf(times: PoolWatchIntervals, { hasRpc }: { readonly hasRpc: boolean }): PoolWatchIntervals {
  const { intervalMs, confirmMs, staleMs } = times
  return hasRpc ? times : { intervalMs: intervalMs * indexFactor, confirmMs, staleMs: staleMs * indexFactor }
}

type PoolCheckResult = {
  readonly state: KnownPool
  readonly problems: PoolProblems
  /** Whether notes were refused for the first time. */
  readonly mustConfirm: boolean
}

/** Creates a function that reads the pool's state and runs a preflight of the published sets. Throws `ChainError`. */
function createProblemReader(
  chain: ChainConfig,
  options: PoolWatchOptions & { readonly signal: AbortSignal },
): () => Promise<PoolCheckResult> {
  const { published, clock, signal, config, readPool } = options
  const reader = config.rails.preflight === 'off' ? undefined : options.pools.get(chain.id)
  const withhold = createNoteWithholder(options)
  const logLimits = createLimitLogger(chain, options)
  let suspected: ReadonlySet<string> = new Set()

  return async () => {
    const nowSeconds = toSeconds(clock.now())
    const current = periodAt(nowSeconds)
    const sets = [current, periodAfter(current)].flatMap(({ start }) => published.find(chain.id, start) ?? [])
    const state = await readPool(chain.id, signal)
    const { maxCouponLimit, minMaturityLimit } = state.limits
    const knowsLimits = maxCouponLimit !== undefined && minMaturityLimit !== undefined
    const check = async (set: NoteSet): Promise<PreflightedSet> => ({
      set,
      preflight: reader && (await runPreflight(reader, { set, nowSeconds, knowsLimits, signal })),
    })
    const checked = await Promise.all(sets.map(check))
    const failed = checked.find(({ preflight }) => preflight?.outcome === 'unavailable')?.preflight
    if (failed?.outcome === 'unavailable') throw new ChainError(failed.message)
    logLimits(state.limits)
    const found = checked.map((preflighted) => {
      const finding = findWithholding(preflighted, { state, nowSeconds, mode: config.rails.preflight })
      return { ...preflighted, ...finding, isConfirmed: finding.key === undefined || suspected.has(finding.key) }
    })
    suspected = new Set(found.flatMap(({ key }) => key ?? []))
    for (const { set, withholding, isConfirmed, isReleased } of found) {
      if (isReleased || (withholding && isConfirmed)) await withhold(set, withholding)
    }
    const refusals = found.flatMap(({ refusal, isConfirmed }) => (refusal && isConfirmed ? [refusal] : []))
    const currentSet = published.find(chain.id, current.start)
    const configuredSigner = (options.signers.get(chain.id) as Signer).address
    const hasPreflight = reader !== undefined && currentSet !== undefined
    const context = { current: currentSet, configuredSigner, hasPreflight, nowSeconds }
    const problems = findPoolProblems({ ...context, state, refusals })
    return { state, problems, mustConfirm: found.some(({ isConfirmed }) => !isConfirmed) }
  }
}

/** Creates a function that logs when a problem begins and ends, and returns the problems. */
function createProblemReporter({ id: chain }: ChainConfig, { log }: PoolWatchOptions) {
  let reported: PoolProblems = new Map()
  return (problems: PoolProblems): PoolProblems => {
    for (const [problem, message] of problems) {
      if (!reported.has(problem)) log.error({ chain, problem }, `pool: ${message}`)
    }
    for (const problem of reported.keys()) if (!problems.has(problem)) log.info({ chain, problem }, 'pool: recovered')
    reported = problems
    return problems
  }
}

/** Creates a function that logs changed limits, even if no note violates them. */
function createLimitLogger({ id: chain }: ChainConfig, { log }: PoolWatchOptions) {
  let known: PoolLimits | undefined
  return (limits: PoolLimits) => {
    for (const name of ['minLendLimit', 'maxCouponLimit', 'minMaturityLimit'] as const) {
      const [from, to] = [known?.[name], limits[name]]
      if (known && to !== undefined && from !== to) {
        log.warn({ chain, limit: name, from: from?.toString() ?? null, to: to.toString() }, 'pool: limit changed')
      }
    }
    known = limits
  }
}
