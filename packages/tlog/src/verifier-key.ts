import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { encodeUtf8 } from './utf8.ts'

/** Public Ed25519 key of a log (C2SP signed-note). */
export type VerifierKey = {
  /** Name of the key, which is the origin of the log. */
  readonly name: string
  /** Four bytes. */
  readonly id: Uint8Array
  readonly publicKey: Uint8Array
}

const ed25519Type = 1
const publicKeyBytes = 32
const idBytes = 4

/** Returns whether a text can be an origin and the name of a key: not empty, without spaces, plus signs and control characters. */
export function isOrigin(text: string): boolean {
  return text.length <= 255 && /^[^\s+\p{C}\p{Z}]+$/u.test(text)
}

export function createVerifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  const typed = Uint8Array.of(ed25519Type, ...publicKey)
  return { name, publicKey, id: sha256(Uint8Array.of(...encodeUtf8(`${name}\n`), ...typed)).slice(0, idBytes) }
}

/** Returns the text form: `<name>+<id in hex>+<base64>`. */
export function formatVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${bytesToHex(id)}+${encodeBase64(Uint8Array.of(ed25519Type, ...publicKey))}`
}

/** Parses the text form. Returns undefined if it is malformed, of another algorithm, or if its id is wrong. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([\w+/=]+)$/.exec(text.trim()) ?? []
  const typed = decodeBase64(encoded)
  if (!isOrigin(name) || typed?.length !== 1 + publicKeyBytes || typed[0] !== ed25519Type) return undefined
  const key = createVerifierKey(name, typed.slice(1))
  return bytesToHex(key.id) === id ? key : undefined
}
