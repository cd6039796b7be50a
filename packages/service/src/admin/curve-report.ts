import {
  type CurveInForce,
  type CurvePreviewReport,
  type CurveReport,
  type CurveView,
  formatNewYork,
  formatPeriod,
  type Period,
  type ProposalView,
  periodAfter,
} from '@tallystick/core'
import type { Database } from '@tallystick/database'
import {
  type ChainPreview,
  type Curve,
  type CurvePreview,
  type CurveProposal,
  findClaimedCurve,
  findCurveInForce,
  findNoteSet,
  listCurves,
  listProposals,
} from '@tallystick/issuer'
import type { Config } from '../config/config.ts'
import { toIso } from './key-view.ts'

export function viewProposal(proposal: CurveProposal): ProposalView {
  return {
    id: proposal.id.toString(),
    chainId: proposal.chainId,
    points: proposal.points,
    proposedBy: proposal.proposedBy,
    effectiveFromNewYork: formatNewYork(proposal.effectiveFrom),
    expiresAt: toIso(proposal.expiresAt),
  }
}

const historyMax = 20

type ReportedCurves = {
  readonly config: Pick<Config, 'chains' | 'curve'>
  readonly current: Period
  readonly nowSeconds: bigint
  readonly problem: string | undefined
}

export async function reportCurve(
  database: Database,
  { config, current, nowSeconds, problem }: ReportedCurves,
): Promise<CurveReport> {
  const chains = await Promise.all(
    config.chains.map(async ({ id, tenors }) => ({
      chainId: id,
      tenors,
      current: await reportInForce(database, { chainId: id, period: current }),
      next: await reportInForce(database, { chainId: id, period: periodAfter(current) }),
    })),
  )
  const open = await listProposals(database, { nowSeconds, periodStart: current.start })
  const proposals = open.map(viewProposal)
  const history = (await listCurves(database, historyMax)).map(viewCurve)
  return { source: config.curve.source, problem: problem ?? null, chains, proposals, history }
}

export function viewCurve(curve: Curve): CurveView {
  return {
    id: curve.id.toString(),
    chainId: curve.chainId,
    effectiveFrom: toIso(curve.effectiveFrom),
    effectiveFromNewYork: formatNewYork(curve.effectiveFrom),
    points: curve.points,
    confirmed: curve.confirmed,
    source: curve.source,
    provenance: curve.provenance,
    createdBy: curve.createdBy,
    createdAt: toIso(curve.createdAt),
  }
}

async function reportInForce(
  database: Database,
  { chainId, period }: { readonly chainId: number; readonly period: Period },
): Promise<CurveInForce> {
  const key = { chainId, periodStart: period.start }
  const curve = await findCurveInForce(database, key)
  const signed = (await findNoteSet(database, key)) !== undefined
  const isFixed = signed || (await findClaimedCurve(database, key)) !== undefined
  return { period: formatPeriod(period), signed, isFixed, curve: curve ? viewCurve(curve) : null }
}

export function reportPreview({ effective, chains, needsApproval, digest }: CurvePreview): CurvePreviewReport {
  return {
    verdict: judge(chains, needsApproval),
    needsApproval,
    digest,
    effectiveFrom: toIso(effective.start),
    effectiveFromNewYork: formatNewYork(effective.start),
    period: formatPeriod(effective),
    chains: chains.map(({ chainId, name, tenors, refusal, canConfirm, warning }) => ({
      chainId,
      name,
      tenors: tenors.map(({ tenorDays, beforeBps, afterBps, bounds }) => ({
        tenorDays,
        beforeBps: beforeBps ?? null,
        afterBps: afterBps ?? null,
        changeBps: beforeBps === undefined || afterBps === undefined ? null : afterBps - beforeBps,
        bounds,
      })),
      refusal: refusal ?? null,
      canConfirm,
      warning: warning ?? null,
    })),
  }
}

function judge(chains: readonly ChainPreview[], needsApproval: boolean): CurvePreviewReport['verdict'] {
  const refused = chains.filter(({ refusal }) => refusal)
  if (refused.length === 0) return needsApproval ? 'propose' : 'store'
  return refused.every(({ canConfirm }) => canConfirm) ? 'confirm' : 'refuse'
}
