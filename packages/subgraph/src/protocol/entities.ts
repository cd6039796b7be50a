/**
 * Entities of schema.graphql in API form, as the store reads and writes them. The store refuses an unknown field and a
 * missing required field.
 */
export type PositionInfo = {
  readonly id: string
  readonly tokenId: string
  readonly currentOwner: string
  readonly initalOwner: string
  readonly initiator: string
  readonly coupon: string
  readonly principal: string
  readonly lendTimestamp: string
  readonly maturityTimestamp: string
  readonly partnerFeeBPS: string
  readonly partnerId: string
  readonly status: 'Active' | 'Claimed'
  readonly lendTransactionHash: string
  readonly account: string
  readonly partner: string | null
  readonly pool: string
  readonly claimTimestamp: string | null
  readonly claimTransactionHash: string | null
  readonly claimBeneficiary: string | null
  readonly totalIncome: string | null
  readonly fee: string | null
}

export type Account = Readonly<ReturnType<typeof newAccount>>

export type Partner = {
  readonly id: string
  readonly owner: string
  readonly vault: string
  readonly feeBPS: string
  readonly activePrincipal: string
  readonly totalFees: string
}

export type FloatingIncome = {
  readonly id: string
  readonly day: number
  readonly floatingIncome: string
  readonly accFloatingIncome: string
  readonly updatedAt: string
}

export type Pool = Readonly<ReturnType<typeof newPool>>

/** Denylisters of the position token and the dollar. Undefined if a token has none. */
export type Denylisters = { readonly positions: string | undefined; readonly dollar: string | undefined }

export type ProtocolDay = Readonly<ReturnType<typeof newProtocolDay>>

export function newAccount(id: string) {
  return {
    id,
    activePositions: 0,
    activePrincipal: '0',
    totalPrincipal: '0',
    totalIncome: '0',
    totalFees: '0',
    denylisted: false,
    denylistedBy: [] as readonly string[],
  }
}

export function newPool(id: string, denylisters: Denylisters) {
  return {
    id,
    paused: false,
    positionTokenPaused: false,
    signer: null as string | null,
    denylister: denylisters.positions ?? null,
    dollarDenylister: denylisters.dollar ?? null,
    minLendLimit: null as string | null,
    maxCouponLimit: null as string | null,
    minMaturityLimit: null as string | null,
    activePositions: 0,
    activePrincipal: '0',
    totalPrincipal: '0',
    totalIncome: '0',
    totalFees: '0',
    lastFloatingIncomeDay: null as number | null,
  }
}

export function newProtocolDay(day: number) {
  return {
    id: String(day),
    day,
    lent: '0',
    claimed: '0',
    income: '0',
    positionsOpened: 0,
    positionsClosed: 0,
    activePrincipal: '0',
  }
}

/** Returns the protocol's day of an instant: whole UTC days since the epoch. */
export function utcDayOf(unixSeconds: number): number {
  return Math.floor(unixSeconds / 86_400)
}

/** Sender of a mint and recipient of a burn (ERC-721). */
export const zeroAddress: string = `0x${'00'.repeat(20)}`
