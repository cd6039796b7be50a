import type { Note } from '@tallystick/core'
import {
  decodeCount,
  decodeDecimal,
  decodeForm,
  decodeHex,
  decodeList,
  decodeMember,
  decodeString,
  type Place,
  refuse,
} from '../decode/decode.ts'

/** Note in the response of `GET /notes`: integers are decimal strings, timestamps Unix seconds. */
export type WireNote = {
  readonly maturity_timestamp: string
  readonly coupon: string
  readonly note_started_at: string
  readonly signature_valid_after: string
  readonly signature_valid_before: string
  readonly signature: { readonly r: string; readonly s: string; readonly v: 27 | 28 }
  readonly chainid: string
}

/** Decoded note with its tenor and its original as `raw`. It can be used as a `Note`. */
export type OfferedNote = Note & {
  /** Days from `startedAt` to `maturityTimestamp`, rounded. Both are 00:00 in New York. */
  readonly tenorDays: number
  readonly raw: WireNote
}

/** Coupon of one tenor, in basis points per 360-day year. */
export type TenorCoupon = {
  /** Tenor in days. */
  readonly maturity: number
  readonly maturityTimestamp: bigint
  readonly coupon: bigint
}

/** Decoded body of `GET /notes`. */
export type NotesBody = {
  readonly message: string
  readonly notes: readonly OfferedNote[]
  /** Tenors on offer in days, regardless of `maturity`; undefined if the service does not send them. */
  readonly availableMaturities: readonly number[] | undefined
}

/**
 * Decodes the body of `GET /notes`. Every number is validated; unknown members are ignored. Tests compare it with the
 * service's schema.
 */
export function decodeNotes(value: unknown, { chainId }: { readonly chainId?: number | undefined } = {}): NotesBody {
  const body: Place = { value, path: 'GET /notes: body' }
  const maturities = decodeMember(body, 'availableMaturities')
  return {
    message: decodeString(decodeMember(body, 'message')),
    notes: decodeList(decodeMember(body, 'data'), (place) => decodeNote(place, chainId)),
    availableMaturities: maturities.value === undefined ? undefined : decodeList(maturities, decodeTenor),
  }
}

function decodeNote(place: Place, askedChainId: number | undefined): OfferedNote {
  const signature = decodeMember(place, 'signature')
  const note = {
    chainId: decodeChainId(decodeMember(place, 'chainid')),
    maturityTimestamp: decodeTimestamp(decodeMember(place, 'maturity_timestamp')),
    coupon: decodeDecimal(decodeMember(place, 'coupon')),
    validAfter: decodeTimestamp(decodeMember(place, 'signature_valid_after')),
    validBefore: decodeTimestamp(decodeMember(place, 'signature_valid_before')),
    startedAt: decodeTimestamp(decodeMember(place, 'note_started_at')),
    signature: {
      r: decodeHex(decodeMember(signature, 'r'), 32),
      s: decodeHex(decodeMember(signature, 's'), 32),
      v: decodeRecovery(decodeMember(signature, 'v')),
    },
  }
  if (askedChainId !== undefined && note.chainId !== askedChainId) {
    refuse(decodeMember(place, 'chainid'), `the requested chain ${askedChainId}`)
  }
  return { ...note, tenorDays: tenorOf(note), raw: place.value as WireNote }
}

/**
 * Returns the days from the start to the maturity of a note, rounded: the days of a clock change have 23 or 25 hours, and
 * other services may let notes mature at another time than midnight.
 */
function tenorOf({ startedAt, maturityTimestamp }: Pick<Note, 'startedAt' | 'maturityTimestamp'>): number {
  return Math.round(Number(maturityTimestamp - startedAt) / 86_400)
}

function decodeTimestamp(place: Place): bigint {
  return BigInt(decodeForm(place, /^\d{1,20}$/, 'Unix seconds as a string'))
}

/** Decodes a chain id without leading zeros. */
export function decodeChainId(place: Place): number {
  return Number(decodeForm(place, /^[1-9]\d{0,15}$/, 'a chain id'))
}

function decodeRecovery(place: Place): 27 | 28 {
  return place.value === 27 || place.value === 28 ? place.value : refuse(place, '27 or 28')
}

export function decodeCoupon(place: Place): TenorCoupon {
  return {
    maturity: decodeTenor(decodeMember(place, 'maturity')),
    maturityTimestamp: decodeDecimal(decodeMember(place, 'maturity_timestamp')),
    coupon: decodeDecimal(decodeMember(place, 'coupon')),
  }
}

/** Decodes a tenor: at least one day. */
export function decodeTenor(place: Place): number {
  return decodeCount(place) > 0 ? (place.value as number) : refuse(place, 'a number of days')
}
