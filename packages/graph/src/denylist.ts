import { Bytes } from '@graphprotocol/graph-ts'
import { loadAccount } from './change-entities'
import { AddedToDenylist, RemovedFromDenylist } from './generated/Denylister/Denylister'

export function handleAddedToDenylist(event: AddedToDenylist): void {
  setListing(event.params.account, event.address, true)
}

export function handleRemovedFromDenylist(event: RemovedFromDenylist): void {
  setListing(event.params.account, event.address, false)
}

function setListing(id: Bytes, denylister: Bytes, isListed: boolean): void {
  const account = loadAccount(id)
  const before = account.denylistedBy
  const denylistedBy: Bytes[] = []
  for (let index = 0; index < before.length; index++) {
    if (before[index] != denylister) denylistedBy.push(before[index])
  }
  if (isListed) denylistedBy.push(denylister)
  denylistedBy.sort((a, b) => (a.toHexString() < b.toHexString() ? -1 : 1))
  account.denylistedBy = denylistedBy
  account.denylisted = denylistedBy.length > 0
  account.save()
}
