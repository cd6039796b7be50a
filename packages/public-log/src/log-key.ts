import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  createVerifierKey,
  decodeBase64,
  encodeBase64,
  formatSignedNote,
  formatVerifierKey,
  type VerifierKey,
} from '@tallystick/tlog'

/** Ed25519 key of the public log. */
export type LogKey = {
  readonly verifier: VerifierKey
  /** Returns the signed note of a text. */
  sign(text: string): string
}

// Header of an Ed25519 key in PKCS #8 (RFC 8410 §7), before its 32 bytes.
const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex')
const prefix = 'PRIVATE+KEY+'
const ed25519Type = 1

/** Creates a new key and returns its text: `PRIVATE+KEY+<origin>+<id>+<base64>`, the form of Go's `sumdb/note`. */
export function createLogKeyText(origin: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(pkcs8Header.length)
  const [, id] = formatVerifierKey(verifierOf(origin, privateKey)).split('+')
  return `${prefix}${origin}+${id}+${encodeBase64(Uint8Array.of(ed25519Type, ...seed))}`
}

/** Parses the text of a key. Returns undefined if it is malformed or if its id is wrong. */
export function parseLogKey(text: string): LogKey | undefined {
  const [, origin = '', id, encoded = ''] = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([\w+/=]+)$/.exec(text.trim()) ?? []
  const typed = decodeBase64(encoded)
  if (typed?.length !== 33 || typed[0] !== ed25519Type) return undefined
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Header, typed.subarray(1)]), format: 'der', type: 'pkcs8' })
  const verifier = verifierOf(origin, key)
  if (Buffer.from(verifier.id).toString('hex') !== id) return undefined
  return {
    verifier,
    sign: (note) => formatSignedNote(note, { key: verifier, signature: sign(null, Buffer.from(note), key) }),
  }
}

function verifierOf(origin: string, key: KeyObject): VerifierKey {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)
  return createVerifierKey(origin, new Uint8Array(publicKey))
}
