import { crc32 } from './crc32.ts'

export const keyKinds = ['live', 'test'] as const
export type KeyKind = (typeof keyKinds)[number]

/** What a key may be used for: one scope an endpoint. */
export const keyScopes = ['notes', 'data', 'rate'] as const
export type KeyScope = (typeof keyScopes)[number]

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyPattern = /^tsk_(live|test)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
// The largest multiple of 62 a byte can hold: bytes from there on are drawn again, so that no character is likelier.
const unbiasedBytesMax = 248

/**
 * A new API key: prefix, 30 random base62 characters (178 bits), and their CRC-32 in base62, so that a scanner or a
 * client can tell a mistyped key from a wrong one without asking.
 *
 * @example
 * createApiKey({ kind: 'live', randomBytes }) // 'tsk_live_' and 36 characters more
 */
export function createApiKey({
  kind,
  randomBytes,
}: {
  readonly kind: KeyKind
  readonly randomBytes: (length: number) => Uint8Array
}): string {
  let entropy = ''
  while (entropy.length < 30) {
    for (const byte of randomBytes(30)) {
      if (byte < unbiasedBytesMax && entropy.length < 30) entropy += alphabet.charAt(byte % 62)
    }
  }
  return `tsk_${kind}_${entropy}${checksumOf(entropy)}`
}

/**
 * Whether a text has the form of a key and its checksum fits. Says nothing of whether it was ever issued.
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
