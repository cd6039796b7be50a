import { eventTopics } from '@tallystick/contracts/event-topics'
import type { Log } from '../follow/mapping.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Partner, Pool } from './entities.ts'

/** Event that changes entities. Numbers are decimal strings, addresses and hashes 0x hex. */
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
 * Decodes a log without a general decoder, which would spend most of its time hashing event signatures. Returns undefined
 * for logs of other contracts and for events that change no entity.
 */
export function decodeEvent(log: Log, { pool, positions }: Contracts): ProtocolEvent | undefined {
  const topic = log.topics[0] ?? ''
  if (log.address === pool) return poolEvents.get(topic)?.(log)
  return log.address === positions && topic === transferTopic ? decodeTransfer(log) : undefined
}

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
  // The offset of a list is in bytes. Its first word is its length.
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

/** Returns the 32-byte word of the data at an index. */
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
    message: `Log ${logIndex} of transaction ${transactionHash} with topic ${topics[0]} ${fault}. Read it from another node.`,
  })
}
