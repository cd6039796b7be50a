import { BigInt, ethereum } from '@graphprotocol/graph-ts'
import { findAddress, getAddress } from './chain-context'
import { Pool } from './generated/schema'

/** Loads the pool, or creates it at the first event that changes it. */
export function loadPool(event: ethereum.Event): Pool {
  const address = getAddress('pool')
  const stored = Pool.load(address)
  if (stored) return stored
  const pool = new Pool(address)
  pool.paused = false
  pool.positionTokenPaused = false
  // Events of the position token can come before the pool is deployed. Until then it has no signer.
  const isDeployed = event.address == address || ethereum.hasCode(address).inner
  pool.signer = isDeployed ? findAddress('signer') : null
  pool.denylister = findAddress('denylister')
  pool.dollarDenylister = findAddress('dollarDenylister')
  pool.minLendLimit = null
  pool.maxCouponLimit = null
  pool.minMaturityLimit = null
  pool.activePositions = 0
  pool.activePrincipal = BigInt.zero()
  pool.totalPrincipal = BigInt.zero()
  pool.totalIncome = BigInt.zero()
  pool.totalFees = BigInt.zero()
  return pool
}

/**
 * Loads the pool for an event that sets a limit. The pool emits its limits when it is deployed, so the first one shows that
 * it is deployed. It emits its signer only when it changes: the first one comes from the chain's description.
 */
export function loadPoolForLimit(event: ethereum.Event): Pool {
  const pool = loadPool(event)
  const hasLimits = pool.minLendLimit !== null || pool.maxCouponLimit !== null || pool.minMaturityLimit !== null
  if (!hasLimits && pool.signer === null) pool.signer = findAddress('signer')
  return pool
}
