import type { Block } from '../store/block.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Claim, Lend, ProtocolEvent } from './decode-event.ts'
import {
  type Account,
  newAccount,
  newPool,
  newProtocolDay,
  type Pool,
  type PositionInfo,
  type ProtocolDay,
} from './entities.ts'
import { utcDayOf } from './utc-day-of.ts'
import { put, type WorkingSet } from './working-set.ts'
import { zeroAddress } from './zero-address.ts'

export type Context = {
  readonly set: WorkingSet
  readonly pool: string
  readonly block: Block
  /** Holders of tokens minted in this block whose Lend event follows. */
  readonly minted: Map<string, string>
}

/** Applies one event to the working set. */
export function applyEvent(context: Context, event: ProtocolEvent): void {
  switch (event.kind) {
    case 'transfer':
      applyTransfer(context, event)
      break
    case 'lend':
      applyLend(context, event)
      break
    case 'claim':
      applyClaim(context, event)
      break
    case 'floatingIncome':
      applyFloatingIncome(context, event)
      break
    case 'partner':
      applyPartner(context, event)
      break
    case 'pool':
      changePool(context, () => event.set)
      break
  }
}

type EventOf<Kind extends ProtocolEvent['kind']> = Extract<ProtocolEvent, { readonly kind: Kind }>

function applyTransfer({ set, minted }: Context, { to, tokenId }: EventOf<'transfer'>): void {
  // A burn. The Claim event after it ends the position, which keeps its last holder.
  if (to === zeroAddress) return
  const position = set.positions.rows.get(tokenId)
  if (!position) {
    minted.set(tokenId, to)
    return
  }
  changeHolding(set, { id: position.account, positions: -1, principal: -BigInt(position.principal) })
  changeHolding(set, { id: to, positions: 1, principal: BigInt(position.principal) })
  put(set.positions, { ...position, currentOwner: to, account: to })
}

function applyLend(context: Context, lend: Lend): void {
  const { set, minted } = context
  const holder = minted.get(lend.tokenId) ?? lend.beneficiary
  const partner = set.partners.rows.get(lend.partnerId)
  put(set.positions, newPosition(context, { lend, holder, partner: partner?.id ?? null }))
  const principal = BigInt(lend.principal)
  const change = ({ totalPrincipal }: Account) => ({ totalPrincipal: add(totalPrincipal, principal) })
  changeAccount(set, { id: lend.beneficiary, change })
  changeHolding(set, { id: holder, positions: 1, principal })
  if (partner) put(set.partners, { ...partner, activePrincipal: add(partner.activePrincipal, principal) })
  changePool(context, (before) => ({
    activePositions: before.activePositions + 1,
    activePrincipal: add(before.activePrincipal, principal),
    totalPrincipal: add(before.totalPrincipal, principal),
  }))
  changeDay(context, ({ lent, positionsOpened }) => ({
    lent: add(lent, principal),
    positionsOpened: positionsOpened + 1,
  }))
}

function newPosition(
  { pool, block }: Context,
  { lend, holder, partner }: { readonly lend: Lend; readonly holder: string; readonly partner: string | null },
): PositionInfo {
  return {
    id: lend.tokenId,
    tokenId: lend.tokenId,
    currentOwner: holder,
    initalOwner: lend.beneficiary,
    initiator: lend.initiator,
    coupon: lend.coupon,
    principal: lend.principal,
    lendTimestamp: String(block.timestamp),
    maturityTimestamp: lend.maturityTimestamp,
    partnerFeeBPS: lend.partnerFeeBPS,
    partnerId: lend.partnerId,
    status: 'Active',
    lendTransactionHash: lend.transactionHash,
    account: holder,
    partner,
    pool,
    claimTimestamp: null,
    claimTransactionHash: null,
    claimBeneficiary: null,
    totalIncome: null,
    fee: null,
  }
}

function applyClaim(context: Context, claim: Claim): void {
  const { set, block } = context
  const position = set.positions.rows.get(claim.tokenId)
  if (!position) throw refuseClaim(claim)
  const { beneficiary, totalIncome, fee, transactionHash } = claim
  put(set.positions, {
    ...position,
    status: 'Claimed',
    claimTimestamp: String(block.timestamp),
    claimTransactionHash: transactionHash,
    claimBeneficiary: beneficiary,
    totalIncome,
    fee,
  })
  const principal = BigInt(position.principal)
  const earn = (before: Pick<Account, 'totalIncome' | 'totalFees'>) => ({
    totalIncome: add(before.totalIncome, BigInt(totalIncome)),
    totalFees: add(before.totalFees, BigInt(fee)),
  })
  changeHolding(set, { id: position.account, positions: -1, principal: -principal })
  changeAccount(set, { id: position.account, change: earn })
  closeForPartner(set, { id: position.partner, principal, fee })
  changePool(context, (before) => ({
    activePositions: before.activePositions - 1,
    activePrincipal: add(before.activePrincipal, -principal),
    ...earn(before),
  }))
  changeDay(context, ({ claimed, income, positionsClosed }) => ({
    claimed: add(claimed, principal),
    income: add(income, BigInt(totalIncome)),
    positionsClosed: positionsClosed + 1,
  }))
}

function closeForPartner(
  set: WorkingSet,
  { id, principal, fee }: { readonly id: string | null; readonly principal: bigint; readonly fee: string },
): void {
  const partner = id === null ? undefined : set.partners.rows.get(id)
  if (!partner) return
  put(set.partners, {
    ...partner,
    activePrincipal: add(partner.activePrincipal, -principal),
    totalFees: add(partner.totalFees, BigInt(fee)),
  })
}

function applyFloatingIncome(context: Context, { firstDay, days }: EventOf<'floatingIncome'>): void {
  if (days.length === 0) return
  const updatedAt = String(context.block.timestamp)
  days.forEach((stated, index) => {
    const day = firstDay + index
    put(context.set.floatingIncomes, { id: String(day), day, ...stated, updatedAt })
  })
  // The event may restate earlier days.
  changePool(context, ({ lastFloatingIncomeDay }) => ({
    lastFloatingIncomeDay: Math.max(lastFloatingIncomeDay ?? 0, firstDay + days.length - 1),
  }))
}

function applyPartner({ set }: Context, event: EventOf<'partner'>): void {
  const created = { id: event.partnerId, activePrincipal: '0', totalFees: '0' }
  const partner = { ...created, ...set.partners.rows.get(event.partnerId), ...event.set }
  const { owner, vault, feeBPS } = partner
  if (owner === undefined || vault === undefined || feeBPS === undefined) {
    throw refuseLateStart(`Partner ${event.partnerId} was changed, but its creation was not indexed`)
  }
  put(set.partners, { ...partner, owner, vault, feeBPS })
}

function changeHolding(
  set: WorkingSet,
  { id, positions, principal }: { readonly id: string; readonly positions: 1 | -1; readonly principal: bigint },
): void {
  const change = ({ activePositions, activePrincipal }: Account) => ({
    activePositions: activePositions + positions,
    activePrincipal: add(activePrincipal, principal),
  })
  changeAccount(set, { id, change })
}

function changeAccount(
  { accounts }: WorkingSet,
  { id, change }: { readonly id: string; readonly change: (before: Account) => Partial<Account> },
): void {
  const before = accounts.rows.get(id) ?? newAccount(id)
  put(accounts, { ...before, ...change(before) })
}

function changePool({ set, pool }: Context, change: (before: Pool) => Partial<Pool>): void {
  const before = set.pools.rows.get(pool) ?? newPool(pool)
  put(set.pools, { ...before, ...change(before) })
}

/** Updates the current day. Call it after `changePool`: the day has the pool's active principal. */
function changeDay({ set, pool, block }: Context, change: (before: ProtocolDay) => Partial<ProtocolDay>): void {
  const day = utcDayOf(block.timestamp)
  const before = set.days.rows.get(String(day)) ?? newProtocolDay(day)
  const activePrincipal = set.pools.rows.get(pool)?.activePrincipal ?? before.activePrincipal
  put(set.days, { ...before, ...change(before), activePrincipal })
}

function add(amount: string, difference: bigint): string {
  return String(BigInt(amount) + difference)
}

function refuseClaim({ tokenId, transactionHash }: Claim): SubgraphError {
  return refuseLateStart(
    `Position ${tokenId} was claimed in transaction ${transactionHash}, but its lend was not indexed`,
  )
}

/** Creates the error for an index that started too late. Its sums would be wrong permanently. */
function refuseLateStart(fault: string): SubgraphError {
  return new SubgraphError({
    code: 'unmappable_log',
    message: `${fault}. Index again from the block of the pool's deployment or before.`,
  })
}
