import { MalformedAnswerError } from '../errors.ts'

/** A value of an answer, and where it stands in it: `GET /notes: data[3].coupon`. */
export type Place = { readonly value: unknown; readonly path: string }

/** Fails with where the answer is not what it should be, and never with what stands there. */
export function refuse({ value, path }: Place, expected: string): never {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  throw new MalformedAnswerError({
    code: 'malformed_answer',
    message: `The answer is not what this version understands: ${path} is ${found}, not ${expected}.`,
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
  if (!Array.isArray(value)) return refuse(place, 'a list')
  return value.map((item, index) => decodeItem({ value: item, path: `${path}[${index}]` }))
}

export function decodeString(place: Place): string {
  return typeof place.value === 'string' ? place.value : refuse(place, 'a text')
}

export function decodeBoolean(place: Place): boolean {
  return typeof place.value === 'boolean' ? place.value : refuse(place, 'true or false')
}

/** A whole number that JSON can carry exactly. */
export function decodeCount(place: Place): number {
  const { value } = place
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : refuse(place, 'a whole number')
}

/** An integer as plain decimal digits in a text: at most 78, as many as 256 bits can have. */
export function decodeDecimal(place: Place): bigint {
  const { value } = place
  return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : refuse(place, 'a decimal in a text')
}

/** As above, or a plain number: subgraphs differ in whether a small integer is an Int or a BigInt. */
export function decodeInteger(place: Place): bigint {
  return typeof place.value === 'number' ? BigInt(decodeCount(place)) : decodeDecimal(place)
}

/** Bytes as lower-case hex. */
export function decodeHex(place: Place, bytes: number): `0x${string}` {
  const { value } = place
  const isHex = typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`).test(value)
  return isHex ? (value as `0x${string}`) : refuse(place, `0x and ${bytes * 2} lower-case hex digits`)
}

/** Null where there is nothing. */
export function decodeNullable<T>(place: Place, decode: (present: Place) => T): T | null {
  return place.value === null || place.value === undefined ? null : decode(place)
}
