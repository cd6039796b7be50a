import { type Clock, toSeconds } from '@tallystick/base'
import type { PoolLimits } from '@tallystick/chain'
import { type CurveView, type ProposalView, periodAt } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import { approveCurve, previewCurve, setCurve } from '@tallystick/issuer'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { reportCurve, reportPreview, viewCurve, viewProposal } from './curve-report.ts'
import { parseRequest, printable } from './parse-request.ts'

export type CurveOperator = ReturnType<typeof createCurveOperator>

export type CurveOperatorContext = {
  readonly database: Database
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails' | 'curve'>
  readonly clock: Clock
  readonly auditor: Auditor
  /** Returns why the curve source has no newer curve. */
  readonly curveProblem: () => string | undefined
  /** Throws while the current period is uncertain, because a curve would be stored for the wrong one. */
  readonly assertClock: () => Promise<void>
  /** Returns the last known limits of a pool, for previews. */
  readonly poolLimits: (chainId: number) => PoolLimits | undefined
}

const curveRequestSchema = z.strictObject({
  points: z.record(z.string().regex(/^[1-9]\d{0,3}$/), z.number()),
  chainId: z.int().nullable().default(null),
  confirm: z.boolean().default(false),
  by: printable.max(200).optional(),
  /** Boundary of the preview that the operator saw. Another one is refused. */
  effectiveFrom: z.iso
    .datetime({ offset: true })
    .transform((text) => toSeconds(Date.parse(text)))
    .optional(),
  /** Digest of the preview that the operator saw. A curve with another preview is refused. */
  preview: z.string().optional(),
})

export function createCurveOperator(context: CurveOperatorContext) {
  const { database, config, clock, auditor, curveProblem, assertClock, poolLimits } = context
  const now = () => toSeconds(clock.now())
  return {
    showCurve: () => {
      const nowSeconds = now()
      return reportCurve(database, { config, current: periodAt(nowSeconds), nowSeconds, problem: curveProblem() })
    },
    /** Sets a curve, or creates a proposal if a second person must approve it. */
    setCurve: async (request: unknown): Promise<{ readonly curve?: CurveView; readonly proposal?: ProposalView }> => {
      const wanted = parseRequest(curveRequestSchema, request, 'invalid_curve')
      await assertClock()
      const { curve, proposal } = await setCurve(database, { config, request: wanted, nowSeconds: now(), auditor })
      return curve ? { curve: viewCurve(curve) } : { proposal: viewProposal(proposal) }
    },
    /** Runs the checks of `setCurve` and stores nothing. */
    previewCurve: async (request: unknown) => {
      const wanted = parseRequest(curveRequestSchema, request, 'invalid_curve')
      await assertClock()
      return reportPreview(await previewCurve(database, { config, request: wanted, nowSeconds: now(), poolLimits }))
    },
    approveCurve: async (id: string) => {
      await assertClock()
      return { curve: viewCurve(await approveCurve(database, { config, id, nowSeconds: now(), auditor })) }
    },
  }
}
