import {
  decodeAddress,
  decodeBoolean,
  decodeList,
  decodeMember,
  decodeNullable,
  decodeString,
  type Place,
  refuse,
} from '../decode/decode.ts'
import { decodeChainId, decodeNotes, decodeTenor, type NotesBody } from '../notes/decode-notes.ts'
import { type ChainRate, decodeRateFigures, type RateFigures } from '../rate/fetch-rate.ts'

/** Members of every verified webhook. */
export type WebhookFacts = {
  /** The same for every attempt: store it to process an event once. */
  readonly id: string
  /** When the event occurred, Unix seconds. */
  readonly occurredAt: bigint
  /** When this request was sent, Unix seconds. */
  readonly sentAt: bigint
}

/** State of a chain, and which of its members changed. */
export type ChainStatus = {
  readonly message: string
  readonly chainId: number
  /** Names of the members that changed. All of them in the first event of a chain. */
  readonly changed: readonly string[]
  readonly status: ChainRate['status']
  readonly isProtocolSynced: boolean
  /** Tenors on offer in days, ascending. Empty while there are no notes. */
  readonly availableMaturities: readonly number[]
  /** Signer of the notes of the current period. */
  readonly signer: `0x${string}` | null
}

/**
 * Verified webhook by its type: `notes` is the new set of a chain, `rate` its new figures, `status` its new state, and
 * `test` comes from `tallystick hooks test`. `other` is a type that this client version does not know: ignore it.
 */
export type WebhookEvent = WebhookFacts &
  (
    | ({ readonly type: 'notes' } & NotesBody)
    | ({ readonly type: 'rate'; readonly chainId: number } & RateFigures)
    | ({ readonly type: 'status' } & ChainStatus)
    | { readonly type: 'test'; readonly message: string }
    | { readonly type: 'other'; readonly name: string; readonly data: unknown }
  )

/** Decodes the body of a verified webhook. Throws `MalformedAnswerError`. */
export function decodeWebhook(value: unknown, { id, sentAt }: Omit<WebhookFacts, 'occurredAt'>): WebhookEvent {
  const body: Place = { value, path: 'webhook: body' }
  const facts = { id, sentAt, occurredAt: decodeInstant(decodeMember(body, 'timestamp')) }
  const data = decodeMember(body, 'data')
  const name = decodeString(decodeMember(body, 'type'))
  if (name === 'notes') return { ...facts, type: name, ...decodeNotes(data.value) }
  if (name === 'rate') {
    return { ...facts, type: name, chainId: decodeChainId(decodeMember(data, 'chainid')), ...decodeRateFigures(data) }
  }
  if (name === 'status') return { ...facts, type: name, ...decodeStatus(data) }
  if (name === 'test') return { ...facts, type: name, message: decodeString(decodeMember(data, 'message')) }
  return { ...facts, type: 'other', name, data: data.value }
}

function decodeStatus(place: Place): ChainStatus {
  return {
    message: decodeString(decodeMember(place, 'message')),
    chainId: decodeChainId(decodeMember(place, 'chainid')),
    changed: decodeList(decodeMember(place, 'changed'), decodeString),
    status: decodeString(decodeMember(place, 'status')),
    isProtocolSynced: decodeBoolean(decodeMember(place, 'isProtocolSynced')),
    availableMaturities: decodeList(decodeMember(place, 'availableMaturities'), decodeTenor),
    signer: decodeNullable(decodeMember(place, 'signer'), decodeAddress),
  }
}

function decodeInstant(place: Place): bigint {
  const ms = Date.parse(decodeString(place))
  return Number.isNaN(ms) ? refuse(place, 'an ISO 8601 instant') : BigInt(Math.floor(ms / 1000))
}
