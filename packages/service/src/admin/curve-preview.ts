import { type CurvePreviewReport, formatNewYork, formatPeriod } from '@tallystick/core'
import type { ChainPreview, CurvePreview } from '@tallystick/issuer'
import { toIso } from './key-view.ts'

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
