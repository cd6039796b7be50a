import { BigInt, Bytes, ethereum } from '@graphprotocol/graph-ts'
import { Account, Pool, ProtocolDay } from './generated/schema'

export function loadAccount(id: Bytes): Account {
  const stored = Account.load(id)
  if (stored) return stored
  const account = new Account(id)
  account.activePositions = 0
  account.activePrincipal = BigInt.zero()
  account.totalPrincipal = BigInt.zero()
  account.totalIncome = BigInt.zero()
  account.totalFees = BigInt.zero()
  account.denylisted = false
  account.denylistedBy = []
  return account
}

export function changeHolding(id: Bytes, positions: i32, principal: BigInt): void {
  const account = loadAccount(id)
  account.activePositions += positions
  account.activePrincipal = account.activePrincipal.plus(principal)
  account.save()
}

/** Loads the day of an event. The day has the active principal of the pool, so load it after the pool was changed. */
export function loadDay(event: ethereum.Event, pool: Pool): ProtocolDay {
  const day = utcDayOf(event.block.timestamp)
  let entity = ProtocolDay.load(day.toString())
  if (!entity) {
    entity = new ProtocolDay(day.toString())
    entity.day = day
    entity.lent = BigInt.zero()
    entity.claimed = BigInt.zero()
    entity.income = BigInt.zero()
    entity.positionsOpened = 0
    entity.positionsClosed = 0
  }
  entity.activePrincipal = pool.activePrincipal
  return entity
}

/** Returns the protocol's day of an instant: whole UTC days since the epoch. */
function utcDayOf(unixSeconds: BigInt): i32 {
  return unixSeconds.div(BigInt.fromI32(86_400)).toI32()
}
