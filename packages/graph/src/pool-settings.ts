import { ethereum } from '@graphprotocol/graph-ts'
import {
  FeedSignatureVerifier__SignerChanged,
  MaxCouponLimitUpdated,
  MinLendLimitUpdated,
  MinMaturityLimitUpdated,
} from './generated/Pool/Pool'
import { loadPool, loadPoolForLimit } from './load-pool'

export function handleMinLendLimit(event: MinLendLimitUpdated): void {
  const pool = loadPoolForLimit(event)
  pool.minLendLimit = event.params.minLendLimit
  pool.save()
}

export function handleMaxCouponLimit(event: MaxCouponLimitUpdated): void {
  const pool = loadPoolForLimit(event)
  pool.maxCouponLimit = event.params.maxCouponLimit
  pool.save()
}

export function handleMinMaturityLimit(event: MinMaturityLimitUpdated): void {
  const pool = loadPoolForLimit(event)
  pool.minMaturityLimit = event.params.minMaturityLimit
  pool.save()
}

export function handleSignerChanged(event: FeedSignatureVerifier__SignerChanged): void {
  const pool = loadPool(event)
  pool.signer = event.params.signer
  pool.save()
}

export function handlePoolPaused(event: ethereum.Event): void {
  setPaused(event, true)
}

export function handlePoolUnpaused(event: ethereum.Event): void {
  setPaused(event, false)
}

export function handlePositionTokenPaused(event: ethereum.Event): void {
  setPositionTokenPaused(event, true)
}

export function handlePositionTokenUnpaused(event: ethereum.Event): void {
  setPositionTokenPaused(event, false)
}

function setPaused(event: ethereum.Event, isPaused: boolean): void {
  const pool = loadPool(event)
  pool.paused = isPaused
  pool.save()
}

function setPositionTokenPaused(event: ethereum.Event, isPaused: boolean): void {
  const pool = loadPool(event)
  pool.positionTokenPaused = isPaused
  pool.save()
}
