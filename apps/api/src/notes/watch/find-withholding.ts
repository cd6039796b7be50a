import type { Config } from '../../config.ts'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import { findBeyondLimits, type RefusedPreflight, rejectsNotes } from './find-pool-problems.ts'
import type { KnownPool } from './pool-source.ts'
import type { Withholding } from './withhold-notes.ts'

/** A published set and its preflight; undefined if there was none. */
export type PreflightedSet = { readonly set: NoteSet; readonly preflight: PreflightResult | undefined }

export type WithholdingFinding = {
  /** Notes to withhold, once the finding is confirmed. */
  readonly withholding: Withholding | undefined
  readonly refusal: RefusedPreflight | undefined
  /** Whether the pool accepts all notes, so that none needs to be withheld. */
  readonly isReleased: boolean
  /** Identifies the finding, to compare it with that of the next check. Undefined if the pool refuses nothing. */
  readonly key: string | undefined
}

/** Returns which notes of a set a pool refuses, and which of them must not be served. Pure. */
export function findWithholding(
  { set, preflight }: PreflightedSet,
  {
    state,
    nowSeconds,
    mode,
  }: { readonly state: KnownPool; readonly nowSeconds: bigint; readonly mode: Config['rails']['preflight'] },
): WithholdingFinding {
  const refusal = preflight && rejectsNotes(preflight) ? preflight : undefined
  const withholding = chooseWithholding(set, { state, nowSeconds, mode, refusal })
  const isAccepted = preflight === undefined || preflight.outcome === 'accepted'
  const isRefused = withholding !== undefined || refusal !== undefined
  return {
    withholding,
    refusal,
    isReleased: isAccepted && !withholding,
    key: isRefused ? `${set.period.start} ${refusal?.reason} ${withholding?.tenors}` : undefined,
  }
}

function chooseWithholding(
  set: NoteSet,
  {
    state: { limits },
    nowSeconds,
    mode,
    refusal,
  }: {
    readonly state: KnownPool
    readonly nowSeconds: bigint
    readonly mode: Config['rails']['preflight']
    readonly refusal: RefusedPreflight | undefined
  },
): Withholding | undefined {
  const all = set.notes.map(({ tenorDays }) => tenorDays)
  if (refusal && refusal.tenorsBeyondLimits.length === 0 && mode === 'require') {
    const message = `they are withheld (rails.preflight is "require"): ${refusal.message}`
    return { tenors: all, reason: 'pool_refuses', message }
  }
  const atSeconds = set.period.start > nowSeconds ? set.period.start : nowSeconds
  const beyond = findBeyondLimits(set, { limits, atSeconds })
  const refused = refusal?.tenorsBeyondLimits ?? []
  const tenors = all.filter((tenor) => beyond?.tenors.includes(tenor) || refused.includes(tenor))
  if (tenors.length === 0) return undefined
  const message = beyond
    ? `${beyond.message}. They are withheld.`
    : `${refusal?.message} The notes of ${tenors.join(', ')} days are withheld.`
  return { tenors, reason: 'pool_limits', message }
}
