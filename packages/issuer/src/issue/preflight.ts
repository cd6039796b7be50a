import { type Time, toSeconds } from '@tallystick/base'
import { ChainError, isLimitReason, type NoteRefusal, type PoolReader, type RevertReason } from '@tallystick/chain'
import { formatPeriod, type Note } from '@tallystick/core'
import { type Address, isAddressEqual } from 'viem'
import type { IssuerHost } from '../issuer-host.ts'
import type { NoteSet, SetKey } from '../note-set.ts'
import { isPlannedChange } from '../planned-change.ts'
import type { Refusal } from '../refusal.ts'
import type { IssuerSettings } from '../settings.ts'
import { createPreflightMetrics } from './preflight-metrics.ts'
import { createRetryGate } from './retry-gate.ts'

/**
 * Result of a preflight. `planned`: the pool refuses the notes only because a planned change of the signer is half done.
 * `too_early`: the node cannot simulate a future block time, so the check has to wait for the boundary. `unavailable`: no
 * RPC answers.
 */
export type PreflightResult =
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'refused'
      readonly reason: RevertReason | 'no_code'
      readonly message: string
      /** Notes that the pool's limits reject, by tenor. Empty if it rejects the notes for another reason. */
      readonly tenorsBeyondLimits: readonly number[]
    }
  | { readonly outcome: 'planned' | 'too_early' | 'unavailable'; readonly message: string }

/** Why a set must not be stored. */
type PreflightRefusal = {
  readonly refusal: Refusal
  /** Tenors of notes that the pool's limits reject. They are worthless, so other terms may be signed in their place. */
  readonly worthlessTenors: readonly number[]
}

/** Validates note sets on the pool with `eth_call`. */
export type Preflight = {
  /** Returns whether a set of the chain is stored only after the pool accepted it (`rails.preflight: "require"`). */
  isRequired(chainId: number): boolean
  /** Returns why a set must not be stored. Sends its signatures to the RPC. Keeps the set for `findPending`. */
  findRefusal(set: NoteSet): Promise<PreflightRefusal | undefined>
  /** Returns the signed set that an earlier `findRefusal` refused, so that it is not signed again. */
  findPending(key: SetKey & Pick<NoteSet, 'curveId'>): NoteSet | undefined
  /** Validates published sets, each until the pool accepts it, and reports refusals. Never throws. */
  watch(sets: readonly NoteSet[]): Promise<void>
}

export type PreflightOptions = {
  readonly settings: Pick<IssuerSettings, 'chains' | 'rails'>
  /** By chain id. A chain without an RPC has no reader and is not checked. */
  readonly pools: ReadonlyMap<number, Pick<PoolReader, 'validate'>>
}

type PreflightHost = Pick<IssuerHost, 'time' | 'metrics' | 'log'>

export function createPreflight(host: PreflightHost, { settings, pools }: PreflightOptions): Preflight {
  const { time, log } = host
  const mode = settings.rails.preflight
  const readers: typeof pools = mode === 'off' ? new Map() : pools
  const nextSigners = new Map(settings.chains.map(({ id, signer }) => [id, signer.next]))
  const gate = createRetryGate(time, 'preflight retry')
  const accepted = createSetMemory(time)
  const pending = createSetMemory(time)
  const report = createResultReporter(host, [...readers.keys()])
  let openPeriodStart: bigint | undefined

  const check = async (set: NoteSet): Promise<PreflightResult> => {
    const result = await runPreflight(readers.get(set.chainId) as PoolReader, {
      set,
      nowSeconds: toSeconds(time.now()),
      next: nextSigners.get(set.chainId),
    })
    report(set, result)
    if (result.outcome === 'accepted') accepted.keep(set)
    return result
  }
  const watchOne = async (set: NoteSet) => {
    const { chainId, period } = set
    if (accepted.find({ chainId, periodStart: period.start })?.notes[0]?.signature.r === set.notes[0]?.signature.r)
      return
    const isOpen = period.start <= toSeconds(time.now())
    if (isOpen && openPeriodStart !== period.start) {
      // A check that was too early before the boundary can run now, without waiting for the backoff.
      openPeriodStart = period.start
      gate.reset()
    }
    await gate.run(`${chainId}:${period.start}`, () =>
      check(set).then(
        ({ outcome }) => outcome === 'accepted',
        (error) => {
          log.error({ chain: chainId, err: error }, 'preflight failed; retrying')
          return false
        },
      ),
    )
  }
  return {
    isRequired: (chainId) => mode === 'require' && readers.has(chainId),
    findRefusal: async (set) => {
      const result = await check(set)
      if (result.outcome === 'accepted' || result.outcome === 'planned') return undefined
      pending.keep(set)
      const reason = result.outcome === 'refused' ? 'preflight_refused' : 'preflight_unavailable'
      const message = `they are withheld (rails.preflight is "require"): ${result.message}`
      const worthlessTenors = result.outcome === 'refused' ? result.tenorsBeyondLimits : []
      return { refusal: { reason, message }, worthlessTenors }
    },
    findPending: (key) => {
      const set = pending.find(key)
      return set?.curveId === key.curveId ? set : undefined
    },
    watch: async (sets) => {
      await Promise.all(sets.filter(({ chainId }) => readers.has(chainId)).map(watchOne))
    },
  }
}

/** Calls `validatePriceFeed` for each note, simulated at the start of the period, or now if it has started. */
export async function runPreflight(
  reader: Pick<PoolReader, 'validate'>,
  {
    set,
    nowSeconds,
    next,
    ...options
  }: {
    readonly set: NoteSet
    readonly nowSeconds: bigint
    /** Announced signer. */
    readonly next?: Address | undefined
    readonly knowsLimits?: boolean
    readonly signal?: AbortSignal
  },
): Promise<PreflightResult> {
  const { notes, period, chainId } = set
  const isOpen = period.start <= nowSeconds
  try {
    const simulated = await reader.validate(notes, { ...options, atSeconds: isOpen ? nowSeconds : period.start })
    if (simulated.outcome === 'time_unsupported' && !isOpen) {
      const message = `the RPC of chain ${chainId} cannot simulate a future block time (it ${simulated.message}). The preflight runs after the boundary.`
      return { outcome: 'too_early', message }
    }
    const validation = simulated.outcome === 'time_unsupported' ? await reader.validate(notes, options) : simulated
    if (validation.outcome !== 'refused') return { outcome: 'accepted' }
    const [{ reason: firstReason }] = validation.refusals
    if (simulated.outcome === 'time_unsupported' && firstReason === 'FeedNotYetValid') {
      const message = `chain ${chainId} has no block in the period ${formatPeriod(period)} yet.`
      return { outcome: 'too_early', message }
    }
    const isPlanned = validation.refusals.every((refusal) => isAboutChange(refusal, { set, next, nowSeconds }))
    if (isPlanned) {
      const message = `the pool of chain ${chainId} does not accept the notes at present: the signer is being changed to ${next} as announced.`
      return { outcome: 'planned', message }
    }
    const tenorOf = ({ maturityTimestamp }: Note) =>
      notes.find((candidate) => candidate.maturityTimestamp === maturityTimestamp)?.tenorDays as number
    const refusals = validation.refusals.toSorted((a, b) => Number(isLimit(a)) - Number(isLimit(b)))
    const [{ note, reason, message: why }] = refusals as [NoteRefusal]
    const message = `the pool of chain ${chainId} refuses the ${tenorOf(note)}-day note: ${why}. Run \`tallystick doctor\` for details.`
    const tenorsBeyondLimits = refusals.every(isLimit) ? refusals.map((refusal) => tenorOf(refusal.note)) : []
    return { outcome: 'refused', reason, message, tenorsBeyondLimits }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return { outcome: 'unavailable', message: `the pool of chain ${chainId} cannot be read: ${error.message}` }
  }
}

/** The recovered signer shows that the pool reads the note as it was signed, so that only the registration differs. */
function isAboutChange(
  { signers }: NoteRefusal,
  { set, ...change }: { readonly set: NoteSet; readonly next: Address | undefined; readonly nowSeconds: bigint },
): boolean {
  if (!signers || !isAddressEqual(signers.recovered, set.signer)) return false
  return isPlannedChange({ ...change, set, registered: signers.registered })
}

function isLimit({ reason }: NoteRefusal): boolean {
  return isLimitReason(reason)
}

/** Keeps one set per chain and period until the period ends. */
function createSetMemory(time: Time) {
  const sets = new Map<string, NoteSet>()
  return {
    keep: (set: NoteSet) => {
      const nowSeconds = toSeconds(time.now())
      for (const [key, { period }] of sets) if (period.end <= nowSeconds) sets.delete(key)
      sets.set(`${set.chainId}:${set.period.start}`, set)
    },
    find: ({ chainId, periodStart }: SetKey) => sets.get(`${chainId}:${periodStart}`),
  }
}

const reportedMax = 100

/** Counts every result. Logs a result that differs from the last one of the set. */
function createResultReporter({ time, metrics, log }: PreflightHost, chainIds: readonly number[]) {
  const { count } = createPreflightMetrics({ metrics, time, chainIds })
  const reported = new Map<string, string>()
  return (set: NoteSet, result: PreflightResult) => {
    const about = { chain: set.chainId, periodStart: Number(set.period.start) }
    count(set, result.outcome)
    const message = result.outcome === 'accepted' ? 'the pool accepts these notes' : result.message
    const key = `${about.chain}:${about.periodStart}`
    if (reported.get(key) === message) return
    if (reported.size >= reportedMax) reported.clear()
    reported.set(key, message)
    if (result.outcome === 'refused') log.error(about, `preflight: ${message}`)
    else if (result.outcome === 'unavailable') log.warn(about, `preflight: ${message}`)
    else log.info(about, `preflight: ${message}`)
  }
}
