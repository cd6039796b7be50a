import { Address, BigInt } from '@graphprotocol/graph-ts'
import { changeHolding, loadAccount, loadDay } from './change-entities'
import { findHolder } from './find-holder'
import { Claim, Lend } from './generated/Pool/Pool'
import { Transfer } from './generated/PositionToken/PositionToken'
import { Partner, PositionInfo } from './generated/schema'
import { loadPool } from './load-pool'
import { refuseLateStart } from './refuse-late-start'

export function handleTransfer(event: Transfer): void {
  const to = event.params.to
  // A burn. The Claim event after it ends the position, which keeps its last holder.
  if (to == Address.zero()) return
  const position = PositionInfo.load(event.params.tokenId.toString())
  // A mint. The Lend event after it creates the position.
  if (!position) return
  changeHolding(position.account, -1, position.principal.neg())
  changeHolding(to, 1, position.principal)
  position.currentOwner = to
  position.account = to
  position.save()
}

export function handleLend(event: Lend): void {
  const principal = event.params.principal
  const position = createPosition(event)
  position.save()
  const beneficiary = loadAccount(event.params.beneficiary)
  beneficiary.totalPrincipal = beneficiary.totalPrincipal.plus(principal)
  beneficiary.save()
  changeHolding(position.account, 1, principal)
  const partner = Partner.load(event.params.partnerId)
  if (partner) {
    partner.activePrincipal = partner.activePrincipal.plus(principal)
    partner.save()
  }
  const pool = loadPool(event)
  pool.activePositions += 1
  pool.activePrincipal = pool.activePrincipal.plus(principal)
  pool.totalPrincipal = pool.totalPrincipal.plus(principal)
  pool.save()
  const day = loadDay(event, pool)
  day.lent = day.lent.plus(principal)
  day.positionsOpened += 1
  day.save()
}

function createPosition(event: Lend): PositionInfo {
  const params = event.params
  const id = params.tokenId.toString()
  // A token of an indexed position was not minted in this transaction, so its transfers were handled.
  const holder = PositionInfo.load(id) ? params.beneficiary : findHolder(event)
  const partner = Partner.load(params.partnerId)
  const position = new PositionInfo(id)
  position.tokenId = params.tokenId
  position.currentOwner = holder
  position.initalOwner = params.beneficiary
  position.initiator = params.initiator
  position.coupon = params.coupon
  position.principal = params.principal
  position.lendTimestamp = event.block.timestamp
  position.maturityTimestamp = params.maturityTimestamp
  position.partnerFeeBPS = params.partnerFeeBPS
  position.partnerId = params.partnerId
  position.status = 'Active'
  position.lendTransactionHash = event.transaction.hash
  position.account = holder
  position.partner = partner ? partner.id : null
  position.pool = event.address
  position.claimTimestamp = null
  position.claimTransactionHash = null
  position.claimBeneficiary = null
  position.totalIncome = null
  position.fee = null
  return position
}

export function handleClaim(event: Claim): void {
  const income = event.params.totalIncome
  const fee = event.params.fee
  const position = claimPosition(event)
  const principal = position.principal
  changeHolding(position.account, -1, principal.neg())
  const holder = loadAccount(position.account)
  holder.totalIncome = holder.totalIncome.plus(income)
  holder.totalFees = holder.totalFees.plus(fee)
  holder.save()
  closeForPartner(position, fee)
  const pool = loadPool(event)
  pool.activePositions -= 1
  pool.activePrincipal = pool.activePrincipal.minus(principal)
  pool.totalIncome = pool.totalIncome.plus(income)
  pool.totalFees = pool.totalFees.plus(fee)
  pool.save()
  const day = loadDay(event, pool)
  day.claimed = day.claimed.plus(principal)
  day.income = day.income.plus(income)
  day.positionsClosed += 1
  day.save()
}

function claimPosition(event: Claim): PositionInfo {
  const id = event.params.tokenId.toString()
  const transaction = event.transaction.hash
  const stored = PositionInfo.load(id)
  if (!stored) {
    refuseLateStart(
      `Position ${id} was claimed in transaction ${transaction.toHexString()}, but its lend was not indexed`,
    )
  }
  const position = stored as PositionInfo
  position.status = 'Claimed'
  position.claimTimestamp = event.block.timestamp
  position.claimTransactionHash = transaction
  position.claimBeneficiary = event.params.beneficiary
  position.totalIncome = event.params.totalIncome
  position.fee = event.params.fee
  position.save()
  return position
}

function closeForPartner(position: PositionInfo, fee: BigInt): void {
  const id = position.partner
  if (!id) return
  const partner = Partner.load(id)
  if (!partner) return
  partner.activePrincipal = partner.activePrincipal.minus(position.principal)
  partner.totalFees = partner.totalFees.plus(fee)
  partner.save()
}
