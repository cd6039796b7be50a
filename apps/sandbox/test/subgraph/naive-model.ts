import { fixedIncome, floatingIncome, partnerFee } from '@tallystick/core'
import type { Everything } from './queries.ts'

const secondsPerDay = 86_400n

export type ModelPosition = {
  readonly tokenId: bigint
  readonly initalOwner: string
  readonly initiator: string
  readonly coupon: bigint
  readonly principal: bigint
  readonly lendTimestamp: bigint
  readonly maturityTimestamp: bigint
  readonly partnerFeeBPS: bigint
  readonly partnerId: string
  readonly isPartnerKnown: boolean
  lendTransactionHash: string
  owner: string
  claim?: {
    readonly at: bigint
    readonly beneficiary: string
    readonly totalIncome: bigint
    readonly fee: bigint
    hash: string
  }
}

type ModelPartner = {
  readonly id: string
  readonly creator: string
  owner: string
  vault: string
  feeBPS: bigint
}

/** Log of all actions, independent of chain and index. Every figure is computed from the whole log on request. */
export type Model = {
  readonly pool: string
  readonly positions: ModelPosition[]
  readonly partners: ModelPartner[]
  /** Sums by day as the pool stores them, and when the income of a day last changed. */
  readonly incomes: Map<bigint, { readonly sum: bigint; readonly updatedAt: bigint }>
  /** Everyone who ever held a position. */
  readonly holders: Set<string>
  readonly settings: {
    paused: boolean
    signer: string
    denylister: string
    minLendLimit: bigint
    maxCouponLimit: bigint
    minMaturityLimit: bigint
  }
}

export function lastDayOf({ incomes }: Model): bigint {
  return [...incomes.keys()].reduce((last, day) => (day > last ? day : last), 0n)
}

/** What a position pays if it is claimed at an instant, by core's arithmetic. */
export function payoutOf(model: Model, { position, at }: { readonly position: ModelPosition; readonly at: bigint }) {
  const accumulator = { lastUpdatedDay: lastDayOf(model), accFloatingIncome: (day: bigint) => sumOf(model, day) }
  const totalIncome = fixedIncome(position, at) + floatingIncome(position, { instantSeconds: at, ...accumulator })
  return { totalIncome, fee: partnerFee({ totalIncome, partnerFeeBps: position.partnerFeeBPS }) }
}

/** The answer to the query for everything that an index of this history has to give. */
export function everythingOf(model: Model): Everything {
  return {
    positionInfos: model.positions.map((position) => positionInfoOf(model, position)),
    accounts: [...model.holders].toSorted().map((id) => accountOf(model, id)),
    partners: model.partners.map((partner) => partnerOf(model, partner)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    floatingIncomes: [...model.incomes]
      .toSorted(([a], [b]) => Number(a - b))
      .map(([day, { sum, updatedAt }]) => ({
        id: String(day),
        day: Number(day),
        floatingIncome: String(sum - sumOf(model, day - 1n)),
        accFloatingIncome: String(sum),
        updatedAt: String(updatedAt),
      })),
    pools: [poolOf(model)],
    protocolDays: daysOf(model),
  }
}

function positionInfoOf({ pool }: Model, position: ModelPosition): Everything['positionInfos'][number] {
  const { claim, owner, partnerId } = position
  return {
    id: String(position.tokenId),
    tokenId: String(position.tokenId),
    currentOwner: owner,
    initalOwner: position.initalOwner,
    initiator: position.initiator,
    coupon: String(position.coupon),
    principal: String(position.principal),
    lendTimestamp: String(position.lendTimestamp),
    maturityTimestamp: String(position.maturityTimestamp),
    partnerFeeBPS: String(position.partnerFeeBPS),
    partnerId,
    status: claim ? 'Claimed' : 'Active',
    lendTransactionHash: position.lendTransactionHash,
    account: { id: owner },
    partner: position.isPartnerKnown ? { id: partnerId } : null,
    pool: { id: pool },
    claimTimestamp: claim ? String(claim.at) : null,
    claimTransactionHash: claim?.hash ?? null,
    claimBeneficiary: claim?.beneficiary ?? null,
    totalIncome: claim ? String(claim.totalIncome) : null,
    fee: claim ? String(claim.fee) : null,
  }
}

function accountOf({ positions }: Model, id: string): Everything['accounts'][number] {
  const held = positions.filter(({ owner }) => owner === id)
  return {
    id,
    ...totalsOf(held),
    totalPrincipal: principalOf(positions.filter(({ initalOwner }) => initalOwner === id)),
    denylisted: false,
    denylistedBy: [],
    positions: idsOf(held),
  }
}

function partnerOf({ positions }: Model, { id, owner, vault, feeBPS }: ModelPartner): Everything['partners'][number] {
  const brought = positions.filter(({ partnerId, isPartnerKnown }) => isPartnerKnown && partnerId === id)
  const { activePrincipal, totalFees } = totalsOf(brought)
  return { id, owner, vault, feeBPS: String(feeBPS), activePrincipal, totalFees, positions: idsOf(brought) }
}

function poolOf(model: Model): Everything['pools'][number] {
  const { paused, signer, denylister, ...limits } = model.settings
  return {
    id: model.pool,
    paused,
    positionTokenPaused: false,
    signer,
    denylister,
    dollarDenylister: denylister,
    minLendLimit: String(limits.minLendLimit),
    maxCouponLimit: String(limits.maxCouponLimit),
    minMaturityLimit: String(limits.minMaturityLimit),
    ...totalsOf(model.positions),
    lastFloatingIncomeDay: model.incomes.size === 0 ? null : Number(lastDayOf(model)),
  }
}

function daysOf({ positions }: Model): Everything['protocolDays'] {
  const lendDay = ({ lendTimestamp }: ModelPosition) => lendTimestamp / secondsPerDay
  const claimDay = ({ claim }: ModelPosition) => (claim ? claim.at / secondsPerDay : undefined)
  const days = new Set(positions.flatMap((position) => [lendDay(position), claimDay(position) ?? lendDay(position)]))
  return [...days]
    .toSorted((a, b) => Number(a - b))
    .map((day) => {
      const opened = positions.filter((position) => lendDay(position) === day)
      const closed = positions.filter((position) => claimDay(position) === day)
      const active = positions.filter((position) => lendDay(position) <= day && (claimDay(position) ?? day + 1n) > day)
      return {
        id: String(day),
        day: Number(day),
        lent: principalOf(opened),
        claimed: principalOf(closed),
        income: totalsOf(closed).totalIncome,
        positionsOpened: opened.length,
        positionsClosed: closed.length,
        activePrincipal: principalOf(active),
      }
    })
}

function totalsOf(positions: readonly ModelPosition[]) {
  const active = positions.filter(({ claim }) => !claim)
  return {
    activePositions: active.length,
    activePrincipal: principalOf(active),
    totalPrincipal: principalOf(positions),
    totalIncome: String(positions.reduce((sum, { claim }) => sum + (claim?.totalIncome ?? 0n), 0n)),
    totalFees: String(positions.reduce((sum, { claim }) => sum + (claim?.fee ?? 0n), 0n)),
  }
}

function principalOf(positions: readonly ModelPosition[]): string {
  return String(positions.reduce((sum, { principal }) => sum + principal, 0n))
}

function idsOf(positions: readonly ModelPosition[]) {
  return positions.map(({ tokenId }) => ({ id: String(tokenId) }))
}

/** The pool's sum up to and with a day; 0 if the day was never reported. */
export function sumOf({ incomes }: Model, day: bigint): bigint {
  return incomes.get(day)?.sum ?? 0n
}
