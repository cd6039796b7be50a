import { MalformedAnswerError } from '../errors.ts'

/** Value of a response and its path: `GET /notes: data[3].coupon`. */
export type Place = { readonly value: unknown; readonly path: string }

/** Throws an error with the path and types, never the value. */
export function refuse({ value, path }: Place, expected: string): never {
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
  throw new MalformedAnswerError({
    code: 'malformed_answer',
    message: `The response does not match this client version: ${path} is ${found}, not ${expected}.`,
    retryable: false,
  })
}

export function decodeMember(place: Place, name: string): Place {
  const { value, path } = place
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(place, 'an object')
  return { value: (value as Readonly<Record<string, unknown>>)[name], path: `${path}.${name}` }
}

export function decodeList<T>(place: Place, decodeItem: (item: Place) => T): readonly T[] {
  const { value, path } = place
  if (!Array.isArray(value)) return refuse(place, 'an array')
  return value.map((item, index) => decodeItem({ value: item, path: `${path}[${index}]` }))
}

export function decodeString(place: Place): string {
  return typeof place.value === 'string' ? place.value : refuse(place, 'a string')
}

/** Decodes a string that has a form. */
export function decodeForm(place: Place, form: RegExp, expected: string): string {
  const { value } = place
  return typeof value === 'string' && form.test(value) ? value : refuse(place, expected)
}

export function decodeBoolean(place: Place): boolean {
  return typeof place.value === 'boolean' ? place.value : refuse(place, 'a boolean')
}

/** Decodes a non-negative safe integer. */
export function decodeCount(place: Place): number {
  const { value } = place
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : refuse(place, 'a non-negative integer')
}

/** Decodes a decimal string of at most 78 digits, enough for 256 bits. */
export function decodeDecimal(place: Place): bigint {
  return BigInt(decodeForm(place, /^\d{1,78}$/, 'a decimal string'))
}

/** Decodes a decimal string or a number. In some subgraphs a small integer is an Int, in others a BigInt. */
export function decodeInteger(place: Place): bigint {
  return typeof place.value === 'number' ? BigInt(decodeCount(place)) : decodeDecimal(place)
}

/** Decodes bytes in lower-case hex. */
export function decodeHex(place: Place, bytes: number): `0x${string}` {
  const form = new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`)
  return decodeForm(place, form, `0x and ${bytes * 2} lower-case hex digits`) as `0x${string}`
}

/** Decodes an address, with or without a checksum. */
export function decodeAddress(place: Place): `0x${string}` {
  return decodeForm(place, /^0x[0-9a-f]{40}$/i, '0x and 40 hex digits') as `0x${string}`
}

/** Decodes a value that may be null or absent. */
export function decodeNullable<T>(place: Place, decode: (present: Place) => T): T | null {
  return place.value === null || place.value === undefined ? null : decode(place)
}
