import type { PoolLimits } from '@tallystick/chain'
import { type Period, periodAt } from '@tallystick/core'
import type { Database, Queryable } from '@tallystick/database'
import { findUnsignedPeriod } from '../curve/curve-store.ts'
import { findPoolLimitRefusal } from '../rails/pool-rails.ts'
import { offeredTenors } from '../rails/rails.ts'
import type { Refusal } from '../refusal.ts'
import type { IssuerChain, IssuerSettings } from '../settings.ts'
import { digestPreview, previewTenors, type TenorPreview } from './preview-tenors.ts'
import { type CurveRequest, checkChain, findRequestedChains } from './set-curve.ts'

/** Result that setting a curve would have. */
export type CurvePreview = {
  /** First period that it would be in force for. */
  readonly effective: Period
  readonly chains: readonly ChainPreview[]
  /** Whether a second person would have to approve it. */
  readonly needsApproval: boolean
  /** Names what the preview shows. `setCurve` accepts it and refuses anything else. */
  readonly digest: string
}

export type ChainPreview = {
  readonly chainId: number
  readonly name: string
  readonly tenors: readonly TenorPreview[]
  /** Why it would not be stored. */
  readonly refusal: Refusal | undefined
  /** Whether it would be stored if it was confirmed. */
  readonly canConfirm: boolean
  /** Why it would not be signed although it was stored. */
  readonly warning: Refusal | undefined
}

type PreviewOptions = {
  readonly config: Pick<IssuerSettings, 'chains' | 'tenors' | 'rails'>
  readonly nowSeconds: bigint
  readonly request: CurveRequest
  /** Returns the last known limits of a pool. */
  readonly poolLimits: (chainId: number) => PoolLimits | undefined
}

/** Runs the checks of `setCurve` and stores nothing. Throws `invalid_curve` like it. */
export async function previewCurve(database: Database, options: PreviewOptions): Promise<CurvePreview> {
  const { config, nowSeconds, request } = options
  const chains = findRequestedChains(config, request)
  return database.snapshot(async (snapshot) => {
    const chainIds = chains.map(({ id }) => id)
    const effective = await findUnsignedPeriod(snapshot, { current: periodAt(nowSeconds), chainIds })
    const previews: (ChainPreview & { readonly moveBps: number })[] = []
    for (const chain of chains) previews.push(await previewChain(snapshot, { options, chain, effective }))
    const limit = config.rails.fourEyesAboveBps
    const needsApproval = limit !== undefined && previews.some(({ moveBps }) => moveBps > limit)
    const digest = digestPreview({ request, effective, chains: previews.map(({ tenors }) => tenors) })
    return { effective, chains: previews, needsApproval, digest }
  })
}

type ChainPreviewOptions = {
  readonly options: PreviewOptions
  readonly chain: IssuerChain
  readonly effective: Period
}

async function previewChain(
  snapshot: Queryable,
  { options, chain, effective }: ChainPreviewOptions,
): Promise<ChainPreview & { readonly moveBps: number }> {
  const { config, request, poolLimits } = options
  const { points, chainId, confirm } = request
  const curve = { points, chainId, confirmed: confirm }
  const { refusal, moveBps, input } = await checkChain(snapshot, { chain, curve, config, effective })
  const confirmed = await checkChain(snapshot, { chain, curve: { ...curve, confirmed: true }, config, effective })
  const offered = offeredTenors(chain.tenors, curve)
  const limits = { chain, period: effective, poolLimits: poolLimits(chain.id) }
  return {
    chainId: chain.id,
    name: chain.name,
    tenors: await previewTenors(snapshot, { chain, points, effective, input }),
    refusal,
    canConfirm: confirmed.refusal === undefined,
    warning: findPoolLimitRefusal(limits, { curve, tenors: offered }),
    moveBps,
  }
}
