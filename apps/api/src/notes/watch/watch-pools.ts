import { ChainError, type PoolLimits, type PoolReader } from '@tallystick/chain'
import { periodAfter, periodAt } from '@tallystick/core'
import { toSeconds } from '../../clock.ts'
import type { ChainConfig } from '../../config.ts'
import type { MetricHelp, Metrics } from '../../metrics.ts'
import { type PreflightResult, runPreflight } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import {
  findPoolProblems,
  type PoolProblem,
  type PoolProblems,
  poolProblems,
  rejectsNotes,
} from './find-pool-problems.ts'
import { createNoteWithholder, type WithholdOptions } from './withhold-notes.ts'

/** What is known of a pool. Undefined problems: it was never heard. */
export type WatchedPool = { readonly problems: PoolProblems | undefined }

export type PoolWatch = {
  /** Undefined for a chain without an RPC. */
  find(chainId: number): WatchedPool | undefined
  stop(): Promise<void>
}

export type PoolWatchIntervals = {
  /** From one look at a pool to the next. */
  readonly intervalMs: number
  /** To the second look after a refusal: one answer alone, of a node that lags or lies, decides nothing. */
  readonly confirmMs: number
  /** After how long without an answer the last one no longer counts. */
  readonly staleMs: number
}

export type PoolWatchOptions = WithholdOptions & {
  /** By chain id; a chain without an RPC has none and is not watched. */
  readonly pools: ReadonlyMap<number, Pick<PoolReader, 'readState' | 'validate'>>
  readonly metrics: Metrics
  readonly monotonicNow: () => number
  readonly times?: PoolWatchIntervals | undefined
}

export const poolMetricHelp: MetricHelp = {
  tallystick_pool_problem:
    'ALARM: 1 while a pool is paused, refuses the notes in memory, has limits they break, or cannot be read (unknown).',
}

// Two looks that each take the reader's whole deadline (twice 8 s) still end within a minute of a change.
const defaultTimes: PoolWatchIntervals = { intervalMs: 15_000, confirmMs: 2_000, staleMs: 60_000 }

/**
 * Looks at every pool that has an RPC, again and again: what is paused, the limits, and whether it still takes the notes
 * in memory. Tells each change once in the log, and in the metric. Where rails.preflight is "require", notes that the
 * pool refuses twice in a row are withheld until it takes them. Resolves after the first looks where that matters.
 */
export async function watchPools(parts: PoolWatchOptions): Promise<PoolWatch> {
  const chains = parts.config.chains.filter(({ id }) => parts.pools.has(id))
  const stopping = new AbortController()
  const watches = new Map(chains.map((chain) => [chain.id, watchPool(chain, { ...parts, signal: stopping.signal })]))
  parts.metrics.gauge('tallystick_pool_problem', () =>
    [...watches].flatMap(([chain, { problems }]) =>
      poolProblems.map((problem) => ({ labels: { chain, problem }, value: problems()?.has(problem) ? 1 : 0 })),
    ),
  )
  const begun = [...watches.values()].map(({ begin }) => begin())
  if (parts.config.rails.preflight === 'require') await Promise.all(begun)
  return {
    find: (chainId) => {
      const watch = watches.get(chainId)
      return watch && { problems: watch.problems() }
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...watches.values()].map(({ settle }) => settle()))
    },
  }
}

type OneWatch = {
  problems(): PoolProblems | undefined
  /** Looks, and goes on looking. Resolves after the first look, or the second where the first has to be confirmed. */
  begin(): Promise<void>
  settle(): Promise<void>
}

function watchPool(chain: ChainConfig, parts: PoolWatchOptions & { readonly signal: AbortSignal }): OneWatch {
  const { monotonicNow, signal, times = defaultTimes } = parts
  const look = createLook(chain, parts)
  const tell = createTell(chain, parts)
  let problems: PoolProblems | undefined
  let heardAtMs = monotonicNow()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const lookOnce = async (): Promise<{ readonly mustConfirm: boolean }> => {
    const seen = await look().catch((error: unknown) => {
      if (!(error instanceof ChainError) && !signal.aborted) {
        parts.log.error({ chain: chain.id, err: error }, 'the pool watch failed; trying again')
      }
      return { failure: error instanceof ChainError ? error.message : 'the look at the pool failed' }
    })
    if (signal.aborted) return { mustConfirm: false }
    if (!('failure' in seen)) heardAtMs = monotonicNow()
    const known = 'failure' in seen ? problems : seen.problems
    const isStale = 'failure' in seen && monotonicNow() - heardAtMs >= times.staleMs
    if (known || isStale) {
      const failure = 'failure' in seen ? seen.failure : ''
      const unknown: [PoolProblem, string][] = isStale ? [['unknown', `the pool cannot be read: ${failure}`]] : []
      problems = tell(new Map([...(known ?? []), ...unknown]))
    }
    return { mustConfirm: !('failure' in seen) && seen.mustConfirm }
  }
  const schedule = (delayMs: number) => {
    if (signal.aborted) return
    timer = setTimeout(() => {
      running = lookOnce().then(({ mustConfirm }) => schedule(mustConfirm ? times.confirmMs : times.intervalMs))
    }, delayMs)
    timer.unref()
  }
  return {
    problems: () => problems,
    begin: () => {
      running = lookOnce()
        .then(async ({ mustConfirm }) => (mustConfirm && !signal.aborted ? lookOnce() : { mustConfirm: false }))
        .then(({ mustConfirm }) => schedule(mustConfirm ? times.confirmMs : times.intervalMs))
      return running
    },
    settle: async () => {
      clearTimeout(timer)
      await running
    },
  }
}

type Seen = {
  readonly problems: PoolProblems
  /** A set was refused for the first time. */
  readonly mustConfirm: boolean
}

/** One look at a pool: its state, and what it says to the sets in memory. Throws `ChainError`. */
function createLook(
  chain: ChainConfig,
  parts: PoolWatchOptions & { readonly signal: AbortSignal },
): () => Promise<Seen> {
  const { published, clock, signal, config } = parts
  const reader = parts.pools.get(chain.id) as Pick<PoolReader, 'readState' | 'validate'>
  const withhold = createNoteWithholder(parts)
  const tellLimits = createTellLimits(chain, parts)
  let refusedLastTime: ReadonlySet<bigint> = new Set()

  const settle = async (set: NoteSet, verdict: PreflightResult): Promise<void> => {
    if (verdict.outcome === 'accepted') await withhold.release(set)
    else if (rejectsNotes(verdict) && isConfirmed(set)) await withhold.withhold(set, verdict.message)
  }
  const isConfirmed = (set: NoteSet) => refusedLastTime.has(set.period.start)
  return async () => {
    const nowSeconds = toSeconds(clock.now())
    const current = periodAt(nowSeconds)
    const periods = config.rails.preflight === 'off' ? [] : [current, periodAfter(current)]
    const sets = periods.flatMap(({ start }) => published.find(chain.id, start) ?? [])
    const ask = async (set: NoteSet) => ({ set, verdict: await runPreflight(reader, { set, nowSeconds, signal }) })
    const [state, ...asked] = await Promise.all([reader.readState(signal), ...sets.map(ask)])
    const unheard = asked.find(({ verdict }) => verdict.outcome === 'unavailable')
    if (unheard) throw new ChainError((unheard.verdict as { readonly message: string }).message)
    tellLimits(state.limits)
    for (const { set, verdict } of asked) await settle(set, verdict)
    const refused = asked.flatMap(({ set, verdict }) => (rejectsNotes(verdict) ? [{ set, verdict }] : []))
    const confirmed = refused.filter(({ set }) => isConfirmed(set))
    refusedLastTime = new Set(refused.map(({ set }) => set.period.start))
    const offered = published.find(chain.id, current.start)
    const refusals = confirmed.map(({ verdict }) => verdict)
    const problems = findPoolProblems({ chain, state, current: offered, nowSeconds, refusals })
    return { problems, mustConfirm: confirmed.length < refused.length }
  }
}

/** Says in the log what began and what ended, each once. Returns what it was given. */
function createTell({ id: chain }: ChainConfig, { log }: PoolWatchOptions) {
  let told: PoolProblems = new Map()
  return (problems: PoolProblems): PoolProblems => {
    for (const [problem, message] of problems) {
      if (!told.has(problem)) log.error({ chain, problem }, `pool: ${message}`)
    }
    for (const problem of told.keys()) if (!problems.has(problem)) log.info({ chain, problem }, 'pool: recovered')
    told = problems
    return problems
  }
}

/** A change of limits is worth a line even where no note breaks them. */
function createTellLimits({ id: chain }: ChainConfig, { log }: PoolWatchOptions) {
  let known: PoolLimits | undefined
  return (limits: PoolLimits) => {
    for (const name of ['minLendLimit', 'maxCouponLimit', 'minMaturityLimit'] as const) {
      const [from, to] = [known?.[name], limits[name]]
      if (known && to !== undefined && from !== to) {
        log.warn({ chain, limit: name, from: from?.toString() ?? null, to: to.toString() }, 'pool: a limit changed')
      }
    }
    known = limits
  }
}
