import type { Log } from '../follow/mapping.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Partner, Pool } from './entities.ts'

/** What a log says, as far as entities are concerned: numbers as decimal strings, addresses and hashes as 0x hex. */
export type ProtocolEvent =
  | { readonly kind: 'transfer'; readonly to: string; readonly from: string; readonly tokenId: string }
  | Lend
  | Claim
  | { readonly kind: 'floatingIncome'; readonly firstDay: number; readonly days: readonly StatedDay[] }
  | {
      readonly kind: 'partner'
      readonly partnerId: string
      readonly set: Partial<Pick<Partner, 'owner' | 'vault' | 'feeBPS'>>
    }
  | { readonly kind: 'pool'; readonly set: Partial<Pool> }

export type Lend = {
  readonly kind: 'lend'
  readonly initiator: string
  readonly beneficiary: string
  readonly tokenId: string
  readonly maturityTimestamp: string
  readonly coupon: string
  readonly principal: string
  readonly partnerId: string
  readonly partnerFeeBPS: string
  readonly transactionHash: string
}

export type Claim = {
  readonly kind: 'claim'
  readonly beneficiary: string
  readonly tokenId: string
  readonly totalIncome: string
  readonly fee: string
  readonly transactionHash: string
}

export type StatedDay = { readonly floatingIncome: string; readonly accFloatingIncome: string }

type Contracts = { readonly pool: string; readonly positions: string }

/**
 * Decodes a log by hand, since hashing event signatures for each is most of what a general decoder costs. Logs of other
 * contracts, and events that change no entity, are undefined.
 */
export function decodeEvent(log: Log, { pool, positions }: Contracts): ProtocolEvent | undefined {
  const topic = log.topics[0] ?? ''
  if (log.address === pool) return poolEvents.get(topic)?.(log)
  return log.address === positions && topic === transferTopic ? decodeTransfer(log) : undefined
}

/** The first topic of each event that is read: the Keccak-256 of its signature. */
export const eventTopics = {
  Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  Lend: '0x024d497bd8bbaff087542c28801e70ae55eb164aea2c8a4941f095cff5dc0e37',
  Claim: '0x2ac8993596c635463087675623535e989be74f417ee8b06fc8ba887b92fc8002',
  UpdateDailyFloatingIncome: '0xe39871f9ccfca2c6ab23fb8309c611fb9a2598bb9fe270464aaacd662e614df4',
  UpdatePreviousFloatingIncome: '0xceeac73cfd3c9fc0067ad3b7d38c2d885fa9e70d08f5a51485b4fac5cff3e238',
  PartnerCreated: '0x1e7b9acfc1d15b0b445af8f31849dc95fcddbd405b0112f2ec93c86a2b881029',
  PartnerOwnershipTransferred: '0xbcce7c05a96f8a77f4e0ea5c37b687f4852929708f5c61b41280db0cdfe0f467',
  PartnerVaultChanged: '0x5a1c38203e40aa8ab57eb56234082839ffd4b38808cfe705e4286ff1848f4d1e',
  PartnerFeeChanged: '0xadd4efdd212efbed11986534efc6aaa8cafb3c81e811cbc9868fcc1266a7a07f',
  MinLendLimitUpdated: '0x0018e98cbe409d8597af59fc7c9e429d99ff72477ae0e0ee460563228ff6ab20',
  MaxCouponLimitUpdated: '0xb3431d6b09a5ce7a809610c601d5c2203f499ee05edea5679f09ef6fb94683df',
  MinMaturityLimitUpdated: '0x5ad0903fdd1a07e5f4afe5926df96c7a350140a3c4fd94f56701891126f79fe4',
  FeedSignatureVerifier__SignerChanged: '0x38616e52dcd6365622215274e9d88e26430dc7ba36ee14cb268ea4f4615e4e28',
  Paused: '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258',
  Unpaused: '0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa',
} as const

const transferTopic = eventTopics.Transfer

const poolEvents: ReadonlyMap<string, (log: Log) => ProtocolEvent> = new Map<string, (log: Log) => ProtocolEvent>([
  [eventTopics.Lend, decodeLend],
  [eventTopics.Claim, decodeClaim],
  [eventTopics.UpdateDailyFloatingIncome, decodeDailyIncome],
  [eventTopics.UpdatePreviousFloatingIncome, decodePreviousIncomes],
  [
    eventTopics.PartnerCreated,
    (log) => decodePartner(log, { owner: addressIn(log, 1), vault: addressIn(log, 2), feeBPS: uint(log, 1) }),
  ],
  [eventTopics.PartnerOwnershipTransferred, (log) => decodePartner(log, { owner: addressIn(log, 1) })],
  [eventTopics.PartnerVaultChanged, (log) => decodePartner(log, { vault: addressIn(log, 1) })],
  [eventTopics.PartnerFeeChanged, (log) => decodePartner(log, { feeBPS: uint(log, 1) })],
  [eventTopics.MinLendLimitUpdated, (log) => ({ kind: 'pool', set: { minLendLimit: uint(log, 0) } })],
  [eventTopics.MaxCouponLimitUpdated, (log) => ({ kind: 'pool', set: { maxCouponLimit: uint(log, 0) } })],
  [eventTopics.MinMaturityLimitUpdated, (log) => ({ kind: 'pool', set: { minMaturityLimit: uint(log, 0) } })],
  [eventTopics.FeedSignatureVerifier__SignerChanged, (log) => ({ kind: 'pool', set: { signer: addressIn(log, 1) } })],
  [eventTopics.Paused, () => ({ kind: 'pool', set: { paused: true } })],
  [eventTopics.Unpaused, () => ({ kind: 'pool', set: { paused: false } })],
])

function decodeTransfer(log: Log): ProtocolEvent {
  const tokenId = String(BigInt(topicOf(log, 3)))
  return { kind: 'transfer', from: addressIn(log, 1), to: addressIn(log, 2), tokenId }
}

function decodeLend(log: Log): Lend {
  return {
    kind: 'lend',
    initiator: addressIn(log, 1),
    beneficiary: addressIn(log, 2),
    tokenId: uint(log, 0),
    maturityTimestamp: uint(log, 1),
    coupon: uint(log, 2),
    principal: uint(log, 3),
    partnerId: word(log, 4),
    partnerFeeBPS: uint(log, 5),
    transactionHash: log.transactionHash,
  }
}

function decodeClaim(log: Log): Claim {
  return {
    kind: 'claim',
    beneficiary: addressIn(log, 2),
    tokenId: uint(log, 0),
    totalIncome: uint(log, 4),
    fee: uint(log, 5),
    transactionHash: log.transactionHash,
  }
}

function decodeDailyIncome(log: Log): ProtocolEvent {
  const days = [{ floatingIncome: uint(log, 1), accFloatingIncome: uint(log, 2) }]
  return { kind: 'floatingIncome', firstDay: Number(uint(log, 0)), days }
}

function decodePreviousIncomes(log: Log): ProtocolEvent {
  // Where a list begins is given in bytes; its first word is its length.
  const incomesAt = Number(uint(log, 1)) / 32
  const sumsAt = Number(uint(log, 2)) / 32
  const days: StatedDay[] = []
  for (let index = 1, count = Number(uint(log, incomesAt)); index <= count; index++) {
    days.push({ floatingIncome: uint(log, incomesAt + index), accFloatingIncome: uint(log, sumsAt + index) })
  }
  return { kind: 'floatingIncome', firstDay: Number(uint(log, 0)), days }
}

function decodePartner(log: Log, set: Partial<Pick<Partner, 'owner' | 'vault' | 'feeBPS'>>): ProtocolEvent {
  return { kind: 'partner', partnerId: word(log, 0), set }
}

function uint(log: Log, index: number): string {
  return String(BigInt(word(log, index)))
}

/** The data's word of 32 bytes at an index. */
function word(log: Log, index: number): string {
  const start = 2 + 64 * index
  const digits = log.data.slice(start, start + 64)
  if (digits.length !== 64) throw refuse(log, `has no word ${index} in its data`)
  return `0x${digits}`
}

function addressIn(log: Log, index: number): string {
  // The last 20 of the topic's 32 bytes.
  return `0x${topicOf(log, index).slice(-40)}`
}

function topicOf(log: Log, index: number): string {
  const topic = log.topics[index]
  if (topic?.length !== 66) throw refuse(log, `has no topic ${index}`)
  return topic
}

function refuse({ logIndex, transactionHash, topics }: Log, fault: string): SubgraphError {
  return new SubgraphError({
    code: 'unmappable_log',
    message: `Log ${logIndex} of transaction ${transactionHash} with topic ${topics[0]} ${fault}. Ask another node for it.`,
  })
}
