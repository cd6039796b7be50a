import { BigInt, Bytes } from '@graphprotocol/graph-ts'
import {
  PartnerCreated,
  PartnerFeeChanged,
  PartnerOwnershipTransferred,
  PartnerVaultChanged,
} from './generated/Pool/Pool'
import { Partner } from './generated/schema'
import { refuseLateStart } from './refuse-late-start'

export function handlePartnerCreated(event: PartnerCreated): void {
  let partner = Partner.load(event.params.partnerId)
  if (!partner) {
    partner = new Partner(event.params.partnerId)
    partner.activePrincipal = BigInt.zero()
    partner.totalFees = BigInt.zero()
  }
  partner.owner = event.params.partnerOwner
  partner.vault = event.params.partnerVault
  partner.feeBPS = event.params.partnerFeeBPS
  partner.save()
}

export function handlePartnerOwnershipTransferred(event: PartnerOwnershipTransferred): void {
  const partner = getPartner(event.params.partnerId)
  partner.owner = event.params.newOwner
  partner.save()
}

export function handlePartnerVaultChanged(event: PartnerVaultChanged): void {
  const partner = getPartner(event.params.partnerId)
  partner.vault = event.params.newVault
  partner.save()
}

export function handlePartnerFeeChanged(event: PartnerFeeChanged): void {
  const partner = getPartner(event.params.partnerId)
  partner.feeBPS = event.params.newFeeBPS
  partner.save()
}

function getPartner(id: Bytes): Partner {
  const partner = Partner.load(id)
  if (!partner) refuseLateStart(`Partner ${id.toHexString()} was changed, but its creation was not indexed`)
  return partner as Partner
}
