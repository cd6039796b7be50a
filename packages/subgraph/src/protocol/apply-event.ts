import { type Contradiction, ContradictionError } from '../follow/mapping.ts'
import { changeListing } from './adopt-denylisters.ts'
import { add, type Context, changeAccount, changeDay, changeHolding, changePool } from './change-entities.ts'
import { missingIncome, missingPosition } from './contradictions.ts'
import type { Claim, Lend, ProtocolEvent, StatedDay } from './decode-event.ts'
import { type Account, type PositionInfo, zeroAddress } from './entities.ts'
import { put, type WorkingSet } from './working-set.ts'

/** Applies one event to the working set. */
export function applyEvent(context: Context, event: ProtocolEvent): void {
  const apply = appliers[event.kind] as (context: Context, event: ProtocolEvent) => void
  apply(context, event)
}

type EventOf<Kind extends ProtocolEvent['kind']> = Extract<ProtocolEvent, { readonly kind: Kind }>

const appliers: { readonly [Kind in ProtocolEvent['kind']]: (context: Context, event: EventOf<Kind>) => void } = {
  transfer: applyTransfer,
  lend: applyLend,
  claim: applyClaim,
  floatingIncome: applyFloatingIncome,
  partner: applyPartner,
  pool: (context, { set }) => changePool(context, () => set),
  denylist: applyListing,
}

function applyTransfer({ set, minted, report }: Context, { from, to, tokenId }: EventOf<'transfer'>): void {
  // A burn. The Claim event after it ends the position, which keeps its last holder.
  if (to === zeroAddress) return
  const position = set.positions.rows.get(tokenId)
  if (!position) {
    const isNew = from === zeroAddress || minted.has(tokenId)
    if (!isNew)
      report(missingPosition(tokenId, `Position ${tokenId} was transferred by ${from}, but its lend was not indexed.`))
    minted.set(tokenId, to)
    return
  }
  changeHolding(set, { id: position.account, positions: -1, principal: -BigInt(position.principal) })
  changeHolding(set, { id: to, positions: 1, principal: BigInt(position.principal) })
  put(set.positions, { ...position, currentOwner: to, account: to })
}

function applyLend(context: Context, lend: Lend): void {
  const { set, minted, report } = context
  const previous = String(BigInt(lend.tokenId) - 1n)
  if (previous !== '0' && !set.positions.rows.has(previous)) {
    const message = `Position ${lend.tokenId} was lent in transaction ${lend.transactionHash} of block ${context.block.number}, but the lend of position ${previous} was not indexed.`
    report(missingPosition(previous, message))
  }
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
  if (!position) {
    const { tokenId, transactionHash } = claim
    const message = `Position ${tokenId} was claimed in transaction ${transactionHash} of block ${block.number}, but its lend was not indexed.`
    throw refuse(missingPosition(tokenId, message))
  }
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
  const lastStated = days.at(-1)
  if (!lastStated) return
  checkPreviousDay(context, { firstDay, stated: days[0] ?? lastStated })
  const lastDay = firstDay + days.length - 1
  const { floatingIncomes } = context.set
  const updatedAt = String(context.block.timestamp)
  days.forEach((stated, index) => {
    const day = firstDay + index
    put(floatingIncomes, { id: String(day), day, ...stated, updatedAt })
  })
  // The pool does not carry a restatement forward: the next day keeps its sum, so its income changes.
  const next = floatingIncomes.rows.get(String(lastDay + 1))
  if (next) {
    const floatingIncome = add(next.accFloatingIncome, -BigInt(lastStated.accFloatingIncome))
    if (floatingIncome !== next.floatingIncome) put(floatingIncomes, { ...next, floatingIncome, updatedAt })
  }
  changePool(context, ({ lastFloatingIncomeDay }) => ({
    lastFloatingIncomeDay: Math.max(lastFloatingIncomeDay ?? 0, lastDay),
  }))
}

/** Each report continues the sum of the day before it. */
function checkPreviousDay(
  { set, pool, report }: Context,
  { firstDay, stated }: { readonly firstDay: number; readonly stated: StatedDay },
): void {
  const known = set.floatingIncomes.rows.get(String(firstDay - 1))?.accFloatingIncome ?? '0'
  const onChain = add(stated.accFloatingIncome, -BigInt(stated.floatingIncome))
  if (known === onChain) return
  const lastDay = set.pools.rows.get(pool)?.lastFloatingIncomeDay ?? null
  const message = `The pool continued the floating income of day ${firstDay - 1} from ${onChain}, but the index has ${known}.`
  report(missingIncome(lastDay, message))
}

function applyListing({ set }: Context, { account, denylister, isListed }: EventOf<'denylist'>): void {
  changeAccount(set, {
    id: account,
    change: (before) => {
      const denylistedBy = changeListing(before.denylistedBy, { denylister, isListed })
      return { denylistedBy, denylisted: denylistedBy.length > 0 }
    },
  })
}

function applyPartner({ set, block }: Context, event: EventOf<'partner'>): void {
  const created = { id: event.partnerId, activePrincipal: '0', totalFees: '0' }
  const partner = { ...created, ...set.partners.rows.get(event.partnerId), ...event.set }
  const { owner, vault, feeBPS } = partner
  if (owner === undefined || vault === undefined || feeBPS === undefined) {
    throw refuse({
      message: `Partner ${event.partnerId} was changed in block ${block.number}, but its creation was not indexed.`,
      locate: async () => undefined,
    })
  }
  put(set.partners, { ...partner, owner, vault, feeBPS })
}

/** Creates the error for an event that cannot be applied: sums would be wrong. The blocks before it are read again. */
function refuse(contradiction: Contradiction): ContradictionError {
  const message = `${contradiction.message} The RPC left out logs, or startBlock is after the pool's deployment.`
  return new ContradictionError({ ...contradiction, message })
}
