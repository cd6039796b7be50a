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
  | ReturnType<typeof decodePartner>
  | { readonly kind: 'pool'; readonly set: Partial<Pool> }
  | { readonly kind: 'denylist'; readonly account: string; readonly denylister: string; readonly isListed: boolean }

export type Lend = ReturnType<typeof decodeLend>
export type Claim = ReturnType<typeof decodeClaim>
export type StatedDay = { readonly floatingIncome: string; readonly accFloatingIncome: string }

export type Contracts = {
  readonly pool: string
  readonly positions: string
  /** Denylisters of the position token and the dollar. */
  readonly denylisters: readonly string[]
}

/**
 * Decodes a log without a general decoder, which would spend most of its time hashing event signatures. Returns undefined
 * for logs of other contracts and for events that change no entity.
 */
export function decodeEvent(log: Log, { pool, positions, denylisters }: Contracts): ProtocolEvent | undefined {
  const topic = log.topics[0] ?? ''
  if (log.address === pool) return poolEvents.get(topic)?.(log)
  if (log.address === positions) return positionEvents.get(topic)?.(log)
  return denylisters.includes(log.address) ? denylistEvents.get(topic)?.(log) : undefined
}

type Decoders = ReadonlyMap<string, (log: Log) => ProtocolEvent>

const poolEvents: Decoders = new Map<string, (log: Log) => ProtocolEvent>([
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

const positionEvents: Decoders = new Map<string, (log: Log) => ProtocolEvent>([
  [eventTopics.Transfer, decodeTransfer],
  [eventTopics.Paused, () => ({ kind: 'pool', set: { positionTokenPaused: true } })],
  [eventTopics.Unpaused, () => ({ kind: 'pool', set: { positionTokenPaused: false } })],
])

const denylistEvents: Decoders = new Map<string, (log: Log) => ProtocolEvent>([
  [eventTopics.AddedToDenylist, (log) => decodeListing(log, true)],
  [eventTopics.RemovedFromDenylist, (log) => decodeListing(log, false)],
])

/** First topics of all events that change entities. */
export const protocolTopics: readonly string[] = [
  ...new Set([...poolEvents.keys(), ...positionEvents.keys(), ...denylistEvents.keys()]),
]

function decodeListing(log: Log, isListed: boolean): ProtocolEvent {
  return { kind: 'denylist', account: addressIn(log, 1), denylister: log.address, isListed }
}

function decodeTransfer(log: Log): ProtocolEvent {
  const tokenId = String(BigInt(topicOf(log, 3)))
  return { kind: 'transfer', from: addressIn(log, 1), to: addressIn(log, 2), tokenId }
}

function decodeLend(log: Log) {
  return {
    kind: 'lend' as const,
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

function decodeClaim(log: Log) {
  return {
    kind: 'claim' as const,
    beneficiary: addressIn(log, 2),
    tokenId: uint(log, 0),
    totalIncome: uint(log, 4),
    fee: uint(log, 5),
    transactionHash: log.transactionHash,
  }
}

function decodeDailyIncome(log: Log): ProtocolEvent {
  const days = [{ floatingIncome: uint(log, 1), accFloatingIncome: uint(log, 2) }]
  return { kind: 'floatingIncome', firstDay: firstDayOf(log, days.length), days }
}

function decodePreviousIncomes(log: Log): ProtocolEvent {
  const incomes = uintList(log, 1)
  const sums = uintList(log, 2)
  if (incomes.length !== sums.length) throw refuse(log, `has ${incomes.length} incomes and ${sums.length} sums`)
  const days = incomes.map((floatingIncome, index) => ({ floatingIncome, accFloatingIncome: sums[index] as string }))
  return { kind: 'floatingIncome', firstDay: firstDayOf(log, days.length), days }
}

/** Returns the first day of a report. The day after the last one must be a GraphQL Int too, because it is looked up. */
function firstDayOf(log: Log, count: number): number {
  const day = Number(uint(log, 0))
  if (day + count >= 2 ** 31) throw refuse(log, `reports day ${uint(log, 0)}`)
  return day
}

/** Returns the list whose offset in bytes is the word at an index. The first word of a list is its length. */
function uintList(log: Log, index: number): readonly string[] {
  const start = Number(uint(log, index)) / 32
  if (!Number.isSafeInteger(start)) throw refuse(log, `has no list at its word ${index}`)
  const list: string[] = []
  // Not `Array.from`: the length may be any number. A word that is missing ends the loop.
  for (let length = Number(uint(log, start)); list.length < length; ) list.push(uint(log, start + 1 + list.length))
  return list
}

function decodePartner(log: Log, set: Partial<Pick<Partner, 'owner' | 'vault' | 'feeBPS'>>) {
  return { kind: 'partner' as const, partnerId: word(log, 0), set }
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
