import { Address, BigInt, ByteArray, Bytes } from '@graphprotocol/graph-ts'
import { getAddress } from './chain-context'
import { Lend } from './generated/Pool/Pool'

/**
 * Returns the holder of a position at its lend: the last recipient of its token. The token is minted in the transaction of
 * the lend, before the Lend event, and its recipient can send it on at once. Handlers have no memory, and there is no
 * position yet that could keep the holder, so the transfers are read from the receipt.
 */
export function findHolder(event: Lend): Address {
  const receipt = event.receipt
  if (!receipt) throw new Error(`Transaction ${event.transaction.hash.toHexString()} has no receipt.`)
  const positions = getAddress('positions')
  let holder = event.params.beneficiary
  for (let index = 0; index < receipt.logs.length; index++) {
    const log = receipt.logs[index]
    if (log.logIndex >= event.logIndex || log.address != positions || !isTransfer(log.topics)) continue
    if (uintIn(log.topics[3]) != event.params.tokenId) continue
    const to = addressIn(log.topics[2])
    if (to != Address.zero()) holder = to
  }
  return holder
}

/** Transfer(address indexed from, address indexed to, uint256 indexed tokenId) */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function isTransfer(topics: Bytes[]): boolean {
  return topics.length == 4 && topics[0].toHexString() == transferTopic
}

/** Returns the address in the last 20 of the topic's 32 bytes. */
function addressIn(topic: Bytes): Address {
  return Address.fromBytes(Bytes.fromUint8Array(topic.slice(12)))
}

function uintIn(topic: Bytes): BigInt {
  // BigInt reads the least significant byte first.
  const bytes = topic.slice(0)
  bytes.reverse()
  return BigInt.fromUnsignedBytes(changetype<ByteArray>(bytes))
}
