import { Address, Bytes, dataSource } from '@graphprotocol/graph-ts'

/** Returns an address of the chain's description, which the manifest gives to every data source. Null if it is unknown. */
export function findAddress(name: string): Bytes | null {
  const value = dataSource.context().get(name)
  return value ? value.toBytes() : null
}

/** Returns an address that every description has. */
export function getAddress(name: string): Address {
  return Address.fromBytes(dataSource.context().getBytes(name))
}
