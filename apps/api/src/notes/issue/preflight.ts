import { ChainError, type PoolReader, type RevertReason } from '@tallystick/chain'
import { formatPeriod } from '@tallystick/core'
import type { Logger } from 'pino'
import { type Clock, toSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { NoteSet } from '../note-set.ts'
import type { PreflightMetrics } from './preflight-metrics.ts'
import type { Refusal } from './rails.ts'
import { createRetryGate } from './retry-gate.ts'

/**
 * What the pool says to a set. `too_early`: its node cannot be asked about a time to come, so the set has to wait for the
 * boundary. `unavailable`: no RPC answers.
 */
export type PreflightResult =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly reason: RevertReason | 'no_code'; readonly message: string }
  | { readonly outcome: 'too_early' | 'unavailable'; readonly message: string }

/** Shows notes to the pool they are for, before anyone else gets them. */
export type Preflight = {
  /** Under "require": why a set must not be stored, or undefined. It is held for the next try. */
  findRefusal(set: NoteSet): Promise<Refusal | undefined>
  /** A set that was signed for a curve and could not be stored then: signing it again would prove nothing more. */
  findPending(key: {
    readonly chainId: number
    readonly periodStart: bigint
    readonly curveId: bigint
  }): NoteSet | undefined
  /** Shows the sets that are published to the pool, each until it was accepted, and raises the alarm. Never throws. */
  watch(sets: readonly NoteSet[]): Promise<void>
}

export type PreflightOptions = {
  readonly mode: Config['rails']['preflight']
  /** By chain id; a chain without an RPC has none and is not checked. */
  readonly readers: ReadonlyMap<number, Pick<PoolReader, 'validate'>>
  readonly clock: Clock
  readonly metrics: PreflightMetrics
  readonly log: Logger
  readonly monotonicNow: () => number
}

export function createPreflight(parts: PreflightOptions): Preflight {
  const { mode, readers, clock, log } = parts
  const gate = createRetryGate(parts.monotonicNow)
  const accepted = createSetMemory(clock)
  const held = createSetMemory(clock)
  const tell = createTell(parts)
  let openPeriodStart: bigint | undefined

  const judge = async (set: NoteSet): Promise<PreflightResult> => {
    const verdict = await runPreflight(readers.get(set.chainId) as PoolReader, {
      set,
      nowSeconds: toSeconds(clock.now()),
    })
    tell(set, verdict)
    if (verdict.outcome === 'accepted') accepted.keep(set)
    return verdict
  }
  const watchOne = async (set: NoteSet) => {
    if (accepted.find(set)?.notes[0]?.signature.r === set.notes[0]?.signature.r) return
    const isOpen = set.period.start <= toSeconds(clock.now())
    if (isOpen && openPeriodStart !== set.period.start) {
      // What could not be told before the boundary can be now: it does not wait for the next try that was due.
      openPeriodStart = set.period.start
      gate.reset()
    }
    await gate.run(`${set.chainId}:${set.period.start}`, () =>
      judge(set).then(
        ({ outcome }) => outcome === 'accepted',
        (error) => {
          log.error({ chain: set.chainId, err: error }, 'preflight failed; trying again')
          return false
        },
      ),
    )
  }
  return {
    findRefusal: async (set) => {
      if (mode !== 'require' || !readers.has(set.chainId)) return undefined
      const verdict = await judge(set)
      if (verdict.outcome === 'accepted') return undefined
      held.keep(set)
      const reason = verdict.outcome === 'refused' ? 'preflight_refused' : 'preflight_unavailable'
      return { reason, message: `they are held back (rails.preflight is "require"): ${verdict.message}` }
    },
    findPending: ({ chainId, periodStart, curveId }) => {
      const set = held.find({ chainId, period: { start: periodStart } })
      return set?.curveId === curveId ? set : undefined
    },
    watch: async (sets) => {
      if (mode === 'off') return
      await Promise.all(sets.filter(({ chainId }) => readers.has(chainId)).map(watchOne))
    },
  }
}

/** One call of `validatePriceFeed` for each note, all at the time at which the set begins to count, or now if it does. */
export async function runPreflight(
  reader: Pick<PoolReader, 'validate'>,
  { set, nowSeconds, signal }: { readonly set: NoteSet; readonly nowSeconds: bigint; readonly signal?: AbortSignal },
): Promise<PreflightResult> {
  const { notes, period, chainId } = set
  const isOpen = period.start <= nowSeconds
  try {
    const ahead = await reader.validate(notes, { atSeconds: isOpen ? nowSeconds : period.start, signal })
    if (ahead.outcome === 'time_unsupported' && !isOpen) {
      const message = `the RPC of chain ${chainId} cannot be asked about a time to come (it ${ahead.message}). The pool is asked after the boundary.`
      return { outcome: 'too_early', message }
    }
    const verdict = ahead.outcome === 'time_unsupported' ? await reader.validate(notes, { signal }) : ahead
    if (verdict.outcome !== 'refused') return { outcome: 'accepted' }
    if (ahead.outcome === 'time_unsupported' && verdict.reason === 'FeedNotYetValid') {
      const message = `chain ${chainId} has no block of the period ${formatPeriod(period)} yet.`
      return { outcome: 'too_early', message }
    }
    const tenor = notes.find(({ maturityTimestamp }) => maturityTimestamp === verdict.note.maturityTimestamp)?.tenorDays
    const message = `the pool of chain ${chainId} refuses the note of ${tenor} days: ${verdict.message}. \`tallystick doctor\` tells more.`
    return { outcome: 'refused', reason: verdict.reason, message }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return { outcome: 'unavailable', message: `the pool of chain ${chainId} cannot be asked: ${error.message}` }
  }
}

type SetKey = { readonly chainId: number; readonly period: Pick<NoteSet['period'], 'start'> }

/** One set for each chain and period, forgotten when its period is over. */
function createSetMemory(clock: Clock) {
  const sets = new Map<string, NoteSet>()
  return {
    keep: (set: NoteSet) => {
      const nowSeconds = toSeconds(clock.now())
      for (const [key, { period }] of sets) if (period.end <= nowSeconds) sets.delete(key)
      sets.set(`${set.chainId}:${set.period.start}`, set)
    },
    find: ({ chainId, period }: SetKey) => sets.get(`${chainId}:${period.start}`),
  }
}

const saidMax = 100

/** Counts every verdict; says it in the log when it is another than the last of that set. */
function createTell({ metrics, log }: PreflightOptions) {
  const said = new Map<string, string>()
  return (set: NoteSet, verdict: PreflightResult) => {
    const about = { chain: set.chainId, periodStart: Number(set.period.start) }
    metrics.judged(set, verdict.outcome)
    const message = verdict.outcome === 'accepted' ? 'the pool takes these notes' : verdict.message
    const key = `${about.chain}:${about.periodStart}`
    if (said.get(key) === message) return
    // Forgetting what was said long ago only means saying it again.
    if (said.size >= saidMax) said.clear()
    said.set(key, message)
    if (verdict.outcome === 'refused') log.error(about, `preflight: ${message}`)
    else if (verdict.outcome === 'unavailable') log.warn(about, `preflight: ${message}`)
    else log.info(about, `preflight: ${message}`)
  }
}
