import { periodAt, TallystickError } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Auditor } from '../../audit/audit-log.ts'
import type { Config } from '../../config.ts'
import { findCouponRefusal, findMoveRefusal, type Refusal } from '../issue/rails.ts'
import { findLastNoteSet } from '../note-store.ts'
import { assertCurvePoints, type Curve, type CurvePoints } from './curve.ts'
import {
  approveProposal,
  assertPersonalToken,
  type CurveProposal,
  findLargestMove,
  findProposal,
  storeProposal,
} from './curve-proposals.ts'
import { storeCurveIf } from './curve-store.ts'
import { readMoveWindows } from './move-windows.ts'

export type CurveRequest = {
  readonly points: CurvePoints
  /** Null is every chain. */
  readonly chainId: number | null
  /** The move is meant, however large. */
  readonly confirm: boolean
  /** What the caller says of himself. */
  readonly by?: string | undefined
}

type Setting = {
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails'>
  readonly nowSeconds: bigint
  readonly auditor: Auditor
}

/** A curve that is stored, or a proposal that waits for a second name. */
export type CurveChange =
  | { readonly curve: Curve; readonly proposal?: undefined }
  | { readonly curve?: undefined; readonly proposal: CurveProposal }

/**
 * Stores a curve the operator set, after the rails that it alone can break: one that would be refused at the boundary is
 * refused now, while somebody is looking. A move above `rails.fourEyesAboveBps` is stored as a proposal.
 */
export async function setCurve(
  database: Database,
  { wanted, ...setting }: Setting & { readonly wanted: CurveRequest },
): Promise<CurveChange> {
  const { auditor, config, nowSeconds } = setting
  const by = wanted.by ?? auditor.remark
  let proposal: CurveProposal | undefined
  const curve = await storeRequestedCurve(database, {
    ...setting,
    wanted,
    auditor: { ...auditor, remark: by },
    createdBy: by === undefined ? auditor.actor : `${auditor.actor} (${by})`,
    wants: async (transaction, { effective, record, moveBps }) => {
      if (config.rails.fourEyesAboveBps === undefined || moveBps <= config.rails.fourEyesAboveBps) return true
      assertPersonalToken(auditor.actor)
      const { points, chainId, confirm: confirmed } = wanted
      const proposed = { points, chainId, confirmed, proposedBy: auditor.actor, effectiveFrom: effective.start }
      proposal = await storeProposal(transaction, { ...proposed, nowSeconds })
      const details = { chainId, points, confirmed, effectiveFrom: effective.start.toString(), moveBps }
      await record({ action: 'curve.propose', subject: `proposal ${proposal.id}`, details })
      return false
    },
  })
  return proposal ? { proposal } : { curve: curve as Curve }
}

/** Stores the curve of a proposal, in the name of a second person. */
export async function approveCurve(
  database: Database,
  { id, ...setting }: Setting & { readonly id: string },
): Promise<Curve> {
  const { auditor, nowSeconds } = setting
  assertPersonalToken(auditor.actor)
  const proposal = await findProposal(database, id)
  const { points, chainId, confirmed, proposedBy } = proposal
  const curve = await storeRequestedCurve(database, {
    ...setting,
    wanted: { points, chainId, confirm: confirmed },
    createdBy: `${proposedBy}, approved by ${auditor.actor}`,
    wants: async (transaction, { effective, record }) => {
      await approveProposal(transaction, { proposal, actor: auditor.actor, effective, nowSeconds })
      await record({ action: 'curve.approve', subject: `proposal ${proposal.id}`, details: { proposedBy } })
      return true
    },
  })
  return curve as Curve
}

type Judged = Parameters<Parameters<typeof storeCurveIf>[1]['wants']>

/** Stores a curve that passes the rails, if `wants` says so under the lock. */
async function storeRequestedCurve(
  database: Database,
  {
    config,
    wanted,
    nowSeconds,
    auditor,
    createdBy,
    wants,
  }: Setting & {
    readonly wanted: CurveRequest
    readonly createdBy: string
    readonly wants: (
      transaction: Judged[0],
      judged: { readonly effective: Judged[1]; readonly record: Judged[2]; readonly moveBps: number },
    ) => Promise<boolean>
  },
): Promise<Curve | undefined> {
  const chains = config.chains.filter((chain) => wanted.chainId === null || chain.id === wanted.chainId)
  if (chains.length === 0) throw unknownChain(wanted.chainId, config)
  assertCurvePoints(wanted.points, config.tenors)
  const { tenors } = config
  const curve = { points: wanted.points, confirmed: wanted.confirm }
  const origin = { source: 'manual', provenance: null, createdBy, createdAt: nowSeconds } as const
  return storeCurveIf(database, {
    curve: { ...curve, ...origin, chainId: wanted.chainId },
    current: periodAt(nowSeconds),
    chainIds: chains.map((chain) => chain.id),
    auditor,
    wants: async (transaction, effective, record) => {
      const moves: number[] = []
      for (const chain of chains) {
        const before = { chainId: chain.id, beforeStart: effective.start }
        const previous = await findLastNoteSet(transaction, before)
        const windows = await readMoveWindows(transaction, { ...before, limits: config.rails })
        const refusal =
          findCouponRefusal({ chain }, { curve, tenors }) ??
          findMoveRefusal({ previous, windows, maxMoveBps: config.rails.maxMoveBps }, { curve, tenors })
        if (refusal) throw refused(refusal)
        moves.push(findLargestMove(wanted.points, previous))
      }
      return wants(transaction, { effective, record, moveBps: Math.max(...moves) })
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
