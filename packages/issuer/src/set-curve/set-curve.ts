import { type CurvePoints, formatNewYork, type Period, periodAt, TallystickError } from '@tallystick/core'
import type { Auditor, Database, Queryable } from '@tallystick/database'
import { assertCurvePoints, type Curve, invalidCurve, pickPoints } from '../curve/curve.ts'
import { type RecordChange, storeCurveIf } from '../curve/curve-store.ts'
import { readMoveWindows } from '../curve/move-windows.ts'
import { findLastCoupons, findLastNoteSet } from '../note-store.ts'
import { findCouponRefusal, findMoveRefusal } from '../rails/coupon-rails.ts'
import type { MoveInput, OfferedCurve } from '../rails/rail-input.ts'
import { offeredTenors } from '../rails/rails.ts'
import type { Refusal } from '../refusal.ts'
import type { IssuerChain, IssuerSettings } from '../settings.ts'
import {
  approveProposal,
  assertPersonalToken,
  type CurveProposal,
  findLargestMove,
  findProposal,
  storeProposal,
} from './curve-proposals.ts'
import { digestPreview, previewTenors, type TenorPreview } from './preview-tenors.ts'

export type CurveRequest = {
  readonly points: CurvePoints
  /** Null means every chain. */
  readonly chainId: number | null
  /** Whether to accept moves beyond the rails. */
  readonly confirm: boolean
  /** The name the caller gives; not verified. */
  readonly by?: string | undefined
  /** The boundary of the preview that the operator saw, Unix seconds. Another one is refused. */
  readonly effectiveFrom?: bigint | undefined
  /** The digest of the preview that the operator saw. A curve with another preview is refused. */
  readonly preview?: string | undefined
}

type SetCurveOptions = {
  readonly config: Pick<IssuerSettings, 'chains' | 'tenors' | 'rails'>
  readonly nowSeconds: bigint
  readonly auditor: Auditor
}

/** A stored curve, or a proposal that needs approval. */
export type CurveChange =
  | { readonly curve: Curve; readonly proposal?: undefined }
  | { readonly curve?: undefined; readonly proposal: CurveProposal }

/**
 * Stores a curve set by the operator. Checks the coupon rails now, so that the operator sees a refusal at once instead of
 * at the boundary. Stores a proposal if the move is above `rails.fourEyesAboveBps`.
 */
export async function setCurve(
  database: Database,
  { request, ...options }: SetCurveOptions & { readonly request: CurveRequest },
): Promise<CurveChange> {
  const { auditor, config, nowSeconds } = options
  const by = request.by ?? auditor.remark
  let proposal: CurveProposal | undefined
  const curve = await storeRequestedCurve(database, {
    ...options,
    request,
    auditor: { ...auditor, remark: by },
    createdBy: by === undefined ? auditor.actor : `${auditor.actor} (${by})`,
    shouldStore: async (transaction, { effective, record, moveBps }) => {
      if (config.rails.fourEyesAboveBps === undefined || moveBps <= config.rails.fourEyesAboveBps) return true
      assertPersonalToken(auditor.actor)
      const { points, chainId, confirm: confirmed } = request
      const proposed = { points, chainId, confirmed, proposedBy: auditor.actor, effectiveFrom: effective.start }
      proposal = await storeProposal(transaction, { ...proposed, nowSeconds })
      const details = { chainId, points, confirmed, effectiveFrom: effective.start.toString(), moveBps }
      await record({ action: 'curve.propose', subject: `proposal ${proposal.id}`, details })
      return false
    },
  })
  return proposal ? { proposal } : { curve: curve as Curve }
}

/** Stores the curve of a proposal that a second person approves. */
export async function approveCurve(
  database: Database,
  { id, ...options }: SetCurveOptions & { readonly id: string },
): Promise<Curve> {
  const { auditor, nowSeconds } = options
  assertPersonalToken(auditor.actor)
  const proposal = await findProposal(database, id)
  const { points, chainId, confirmed, proposedBy } = proposal
  const curve = await storeRequestedCurve(database, {
    ...options,
    request: { points, chainId, confirm: confirmed },
    createdBy: `${proposedBy}, approved by ${auditor.actor}`,
    shouldStore: async (transaction, { effective, record }) => {
      await approveProposal(transaction, { proposal, actor: auditor.actor, effective, nowSeconds })
      await record({ action: 'curve.approve', subject: `proposal ${proposal.id}`, details: { proposedBy } })
      return true
    },
  })
  return curve as Curve
}

type RequestedCurve = SetCurveOptions & {
  readonly request: CurveRequest
  readonly createdBy: string
  readonly shouldStore: (transaction: Queryable, change: CheckedChange) => Promise<boolean>
}

type CheckedChange = { readonly effective: Period; readonly record: RecordChange; readonly moveBps: number }

/** Checks the coupon rails and stores the curve if `shouldStore` agrees under the lock. */
async function storeRequestedCurve(
  database: Database,
  { config, request, nowSeconds, auditor, createdBy, shouldStore }: RequestedCurve,
): Promise<Curve | undefined> {
  const { chainId, points } = request
  const chains = findRequestedChains(config, request)
  const curve = { points, confirmed: request.confirm, chainId }
  const origin = { source: 'manual', provenance: null, createdBy, createdAt: nowSeconds } as const
  return storeCurveIf(database, {
    curve: { ...curve, ...origin },
    current: periodAt(nowSeconds),
    chainIds: chains.map((chain) => chain.id),
    auditor,
    shouldStore: async (transaction, effective, record) => {
      if (request.effectiveFrom !== undefined && request.effectiveFrom !== effective.start) throw outdated(effective)
      const moves: number[] = []
      const previews: (readonly TenorPreview[])[] = []
      for (const chain of chains) {
        const { refusal, moveBps, input } = await checkChain(transaction, { chain, curve, config, effective })
        previews.push(await previewTenors(transaction, { chain, points, effective, input }))
        if (refusal) throw refused(refusal, { chain, isForSeveral: chains.length > 1 })
        moves.push(moveBps)
      }
      const digest = digestPreview({ request, effective, chains: previews })
      if (request.preview !== undefined && request.preview !== digest) throw otherPreview()
      return shouldStore(transaction, { effective, record, moveBps: Math.max(...moves) })
    },
  })
}

/** Returns the chains that a curve is for. Throws `invalid_curve` if it cannot be theirs. */
export function findRequestedChains(
  config: Pick<IssuerSettings, 'chains' | 'tenors'>,
  { chainId, points }: Pick<CurveRequest, 'chainId' | 'points'>,
): readonly IssuerChain[] {
  const chains = config.chains.filter((chain) => chainId === null || chain.id === chainId)
  if (chains.length === 0) {
    const configured = config.chains.map((chain) => chain.id).join(', ')
    throw invalidCurve(`Chain ${chainId} is not configured. Configured: ${configured}.`)
  }
  assertCurvePoints(points, { chainId, tenors: chainId === null ? config.tenors : chains.flatMap((one) => one.tenors) })
  return chains
}

type ChainCheck = Pick<SetCurveOptions, 'config'> & {
  readonly chain: IssuerChain
  readonly curve: OfferedCurve['curve']
  readonly effective: Period
}

/** Checks the coupon rails of a chain. Returns the largest move of a coupon, and what the rails compared. */
export async function checkChain(
  transaction: Queryable,
  { chain, curve, config, effective }: ChainCheck,
): Promise<{
  readonly refusal: Refusal | undefined
  readonly moveBps: number
  readonly input: MoveInput
}> {
  const { maxMoveBps } = config.rails
  const before = { chainId: chain.id, beforeStart: effective.start }
  const previous = await findLastNoteSet(transaction, before)
  const windows = await readMoveWindows(transaction, { ...before, limits: config.rails })
  const lastCoupons = await findLastCoupons(transaction, before)
  const tenors = offeredTenors(chain.tenors, curve)
  const input = { previous, windows, maxMoveBps }
  const refusal =
    findCouponRefusal({ chain }, { curve, tenors }) ??
    findMoveRefusal({ ...input, curveTenors: config.tenors }, { curve, tenors })
  return { refusal, input, moveBps: findLargestMove(pickPoints(curve.points, tenors), lastCoupons) }
}

function refused(
  { reason, message }: Refusal,
  { chain, isForSeveral }: { readonly chain: IssuerChain; readonly isForSeveral: boolean },
): TallystickError {
  const subject = isForSeveral ? `for any chain, because chain ${chain.id} refuses it` : ''
  const advice = ` To give chain ${chain.id} other coupons, set the curve of each chain with --chain <id>.`
  return new TallystickError({
    code: 'rail_refused',
    message: `The curve was not stored${subject && ` ${subject}`}: ${message}${isForSeveral ? advice : ''}`,
    retryable: false,
    details: { reason, chainId: chain.id },
  })
}

function outdated(effective: Period): TallystickError {
  return invalidCurve(
    'The curve was not stored: since the preview, a boundary has passed or a period was signed. It would now be in ' +
      `force from ${formatNewYork(effective.start)} New York. Preview it again.`,
  )
}

function otherPreview(): TallystickError {
  return invalidCurve(
    'The curve was not stored: it differs from the preview that you saw, or another curve was set since then. ' +
      'Preview it again.',
  )
}
