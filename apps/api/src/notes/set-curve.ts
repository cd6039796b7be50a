import { periodAt, TallystickError } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Auditor } from '../audit/audit-log.ts'
import type { Config } from '../config.ts'
import { assertCurvePoints, type Curve, type CurvePoints } from './curve.ts'
import { storeCurve } from './curve-store.ts'
import { readMoveWindows } from './move-windows.ts'
import { findLastNoteSet } from './note-store.ts'
import { findCouponRefusal, findMoveRefusal, type Refusal } from './rails.ts'

export type WantedCurve = {
  readonly points: CurvePoints
  /** Null is every chain. */
  readonly chainId: number | null
  /** The move is meant, however large. */
  readonly confirm: boolean
  /** What the caller says of himself. */
  readonly by?: string | undefined
}

/**
 * Stores a curve the operator set, after the rails that it alone can break: one that would be refused at the boundary is
 * refused now, while somebody is looking.
 */
export async function setCurve(
  database: Database,
  {
    config,
    wanted,
    nowSeconds,
    auditor,
  }: {
    readonly config: Pick<Config, 'chains' | 'tenors' | 'rails'>
    readonly wanted: WantedCurve
    readonly nowSeconds: bigint
    readonly auditor: Auditor
  },
): Promise<Curve> {
  const chains = config.chains.filter((chain) => wanted.chainId === null || chain.id === wanted.chainId)
  if (chains.length === 0) throw unknownChain(wanted.chainId, config)
  assertCurvePoints(wanted.points, config.tenors)
  const curve = { points: wanted.points, confirmed: wanted.confirm }
  const tenors = config.tenors
  const by = wanted.by ?? auditor.remark

  return storeCurve(database, {
    curve: {
      ...curve,
      chainId: wanted.chainId,
      source: 'manual',
      provenance: null,
      createdBy: by === undefined ? auditor.actor : `${auditor.actor} (${by})`,
      createdAt: nowSeconds,
    },
    current: periodAt(nowSeconds),
    chainIds: chains.map((chain) => chain.id),
    auditor: { ...auditor, remark: by },
    check: async (transaction, effective) => {
      for (const chain of chains) {
        const before = { chainId: chain.id, beforeStart: effective.start }
        const previous = await findLastNoteSet(transaction, before)
        const windows = await readMoveWindows(transaction, { ...before, limits: config.rails })
        const refusal =
          findCouponRefusal({ chain }, { curve, tenors }) ??
          findMoveRefusal({ previous, windows, maxMoveBps: config.rails.maxMoveBps }, { curve, tenors })
        if (refusal) throw refused(refusal)
      }
    },
  })
}

function refused({ reason, message }: Refusal): TallystickError {
  return new TallystickError({
    code: 'rail_refused',
    message: `The curve was not stored: ${message}`,
    retryable: false,
    details: { reason },
  })
}

function unknownChain(chainId: number | null, { chains }: Pick<Config, 'chains'>): TallystickError {
  return new TallystickError({
    code: 'invalid_curve',
    message: `Chain ${chainId} is not configured. Configured: ${chains.map((chain) => chain.id).join(', ')}.`,
    retryable: false,
  })
}
