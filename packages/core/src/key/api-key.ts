import { crc32 } from './crc32.ts'

/** Kinds of API keys. */
export const keyKinds = ['live', 'test'] as const
export type KeyKind = (typeof keyKinds)[number]

/** Scopes of API keys: one per endpoint. */
export const keyScopes = ['notes', 'data', 'rate'] as const
export type KeyScope = (typeof keyScopes)[number]

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyPattern = /^tsk_(live|test)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
// Largest multiple of 62 in a byte. Bytes from there on are drawn again, so that all characters are equally likely.
const unbiasedBytesMax = 248

type ApiKeyOptions = {
  readonly kind: KeyKind
  readonly randomBytes: (length: number) => Uint8Array
}

/**
 * Creates an API key: prefix, 30 random base62 characters (178 bits) and their CRC-32 in base62. The checksum lets a
 * scanner or a client detect a mistyped key offline.
 *
 * @example
 * createApiKey({ kind: 'live', randomBytes }) // 'tsk_live_' and 36 characters more
 */
export function createApiKey({ kind, randomBytes }: ApiKeyOptions): string {
  let entropy = ''
  while (entropy.length < 30) {
    for (const byte of randomBytes(30)) {
      if (byte < unbiasedBytesMax && entropy.length < 30) entropy += alphabet.charAt(byte % 62)
    }
  }
  return `tsk_${kind}_${entropy}${checksumOf(entropy)}`
}

/**
 * Returns whether a text has the format of a key and a valid checksum. Does not check whether the key was issued.
 *
 * @example
 * isApiKey('tsk_live_0000000000000000000000000000002Bd9nE') // false
 */
export function isApiKey(text: string): boolean {
  const match = keyPattern.exec(text)
  return match !== null && checksumOf(match[2] as string) === match[3]
}

function checksumOf(entropy: string): string {
  let rest = crc32(entropy)
  let encoded = ''
  for (let place = 0; place < 6; place++) {
    encoded = alphabet.charAt(rest % 62) + encoded
    rest = Math.floor(rest / 62)
  }
  return encoded
}
