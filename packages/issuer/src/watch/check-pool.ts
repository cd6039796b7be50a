import { toSeconds } from '@tallystick/base'
import { ChainError, type PoolLimits, type PoolReader } from '@tallystick/chain'
import { periodAfter, periodAt } from '@tallystick/core'
import { type Address, isAddressEqual } from 'viem'
import { runPreflight } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import type { IssuerChain, IssuerSettings } from '../settings.ts'
import { adviseOnSigner } from '../signers/advise-on-signer.ts'
import { findObstacles, joinWithholding, type Obstacle, type PreflightedSet } from './find-obstacles.ts'
import { findPoolProblems, type PoolProblems } from './find-pool-problems.ts'
import type { KnownPool, ReadPool } from './pool-source.ts'
import { createWiringWatch, type FindMaturePositions } from './watch-wiring.ts'
import { createNoteWithholder, type WithholdOptions } from './withhold-notes.ts'

export type PoolCheckOptions = WithholdOptions & {
  readonly settings: Pick<IssuerSettings, 'chains' | 'rails' | 'signer'>
  readonly sources: {
    /** By chain id, for chains with an RPC. Notes of other chains cannot be validated. */
    readonly pools: ReadonlyMap<number, Pick<PoolReader, 'validate' | 'checkWiring'>>
    readonly findMature: FindMaturePositions
  }
  readonly readPool: ReadPool
  /** By chain id. */
  readonly signers: ReadonlyMap<number, { readonly address: Address }>
}

/** A pool to check, until the signal aborts. */
export type CheckedPool = { readonly chain: IssuerChain; readonly signal: AbortSignal }

export type PoolCheckResult = {
  readonly state: KnownPool
  readonly problems: PoolProblems
  /** Whether something was found that a second check must confirm. */
  readonly mustConfirm: boolean
}

/**
 * Creates a function that reads the pool's state, checks its roles and runs a preflight of the published sets, and
 * withholds the notes that the pool would refuse. Throws `ChainError`.
 */
export function createPoolCheck(
  options: PoolCheckOptions,
  { chain, signal }: CheckedPool,
): () => Promise<PoolCheckResult> {
  const { host, published, settings, sources, readPool } = options
  const mode = settings.rails.preflight
  const { next } = chain.signer
  const pool = sources.pools.get(chain.id)
  const reader = mode === 'off' ? undefined : pool
  const withhold = createNoteWithholder(options)
  const logLimits = createLimitLogger(host.log, chain.id)
  const checkWiring = createWiringWatch(chain, { reader: pool, findMature: sources.findMature })
  const configured = options.signers.get(chain.id)?.address as Address
  const advise = (registered: Address | undefined) =>
    adviseOnSigner({ config: settings, chain, configured, registered })
  const confirm = createConfirmation()

  return async () => {
    const nowSeconds = toSeconds(host.time.now())
    const current = periodAt(nowSeconds)
    const sets = [current, periodAfter(current)].flatMap(({ start }) => published.find(chain.id, start) ?? [])
    const currentSet = published.find(chain.id, current.start)
    const state = await readPool(chain.id, signal)
    const { maxCouponLimit, minMaturityLimit } = state.limits
    const knowsLimits = maxCouponLimit !== undefined && minMaturityLimit !== undefined
    const check = async (set: NoteSet): Promise<PreflightedSet> => ({
      set,
      preflight: reader && (await runPreflight(reader, { set, nowSeconds, knowsLimits, next, signal })),
    })
    const checked = await Promise.all(sets.map(check))
    const failed = checked.find(({ preflight }) => preflight?.outcome === 'unavailable')?.preflight
    if (failed?.outcome === 'unavailable') throw new ChainError(failed.message)
    const { faults, isFresh } = await checkWiring({ set: currentSet, state, nowSeconds, signal })
    logLimits(state.limits)
    const context = { state, faults, nowSeconds, mode, next, adviseOnSigner: advise }
    const found = checked.map((preflighted) => ({ ...preflighted, obstacles: findObstacles(preflighted, context) }))
    const unsigned = currentSet ? [] : compareConfigured(state, { configured, next, advise })
    const { isConfirmed, mustConfirm } = confirm([...found.flatMap(({ obstacles }) => obstacles), ...unsigned], {
      isStale: ({ problem }) => problem === 'wiring' && !isFresh,
    })
    for (const { set, preflight, obstacles } of found) {
      const withholding = joinWithholding(set, obstacles.filter(isConfirmed))
      // Before the boundary some nodes cannot judge notes. Then the pool's state counts, as without a preflight.
      const isUnjudged = preflight?.outcome === 'too_early' && mode === 'warn' && knowsLimits
      const isAccepted = preflight === undefined || preflight.outcome === 'accepted' || isUnjudged
      if (withholding || (isAccepted && obstacles.length === 0)) await withhold(set, withholding)
    }
    const obstacles = [...found.flatMap((one) => one.obstacles), ...unsigned].filter(isConfirmed)
    return { state, problems: findPoolProblems({ state, obstacles, current: currentSet, nowSeconds }), mustConfirm }
  }
}

type ConfiguredSigner = {
  readonly configured: Address
  readonly next: Address | undefined
  readonly advise: (registered: Address) => string
}

/** Compares the registered signer with the configured one while there are no notes to ask the pool about. */
function compareConfigured(
  { signer: registered }: KnownPool,
  { configured, next, advise }: ConfiguredSigner,
): readonly Obstacle[] {
  if (!registered || [configured, next].some((known) => known && isAddressEqual(registered, known))) return []
  const message = `the pool accepts notes signed by ${registered}, not by ${configured}`
  const clause = `the pool’s signer is ${registered}, not ${configured}`
  const found = { problem: 'signer', reason: 'pool_signer', tenors: [], checks: 2 } as const
  return [{ ...found, key: `configured signer ${registered}`, message, clause, remedy: advise(registered) }]
}

/** Creates a function that counts in how many checks in a row each obstacle was found. */
function createConfirmation() {
  let counts: ReadonlyMap<string, number> = new Map()
  return (
    obstacles: readonly Obstacle[],
    { isStale }: { readonly isStale: (obstacle: Obstacle) => boolean },
  ): { readonly isConfirmed: (obstacle: Obstacle) => boolean; readonly mustConfirm: boolean } => {
    const countOf = (obstacle: Obstacle) => (counts.get(obstacle.key) ?? 0) + (isStale(obstacle) ? 0 : 1)
    const counted = new Map(obstacles.map((obstacle) => [obstacle.key, countOf(obstacle)]))
    counts = counted
    const isConfirmed = ({ key, checks }: Obstacle) => (counted.get(key) ?? 0) >= checks
    // A pause is reported at once, and withholds notes only if it lasts.
    const mustConfirm = obstacles.some((obstacle) => obstacle.reason !== 'pool_paused' && !isConfirmed(obstacle))
    return { isConfirmed, mustConfirm }
  }
}

/** Creates a function that logs changed limits, even if no note violates them. */
function createLimitLogger(log: PoolCheckOptions['host']['log'], chain: number) {
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
