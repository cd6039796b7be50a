import { ed25519 } from '@noble/curves/ed25519'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { equalBytes, hashBytes } from './merkle-hash.ts'
import type { TreeHead } from './merkle-range.ts'
import { encodeUtf8 } from './utf8.ts'
import { isOrigin, type VerifierKey } from './verifier-key.ts'

/** State of a log that its key signed (C2SP tlog-checkpoint). */
export type Checkpoint = TreeHead & { readonly origin: string }

export class CheckpointError extends Error {
  override readonly name = 'CheckpointError'
}

/** Largest checkpoint that is read. */
export const checkpointBytesMax = 16_384

/** Returns the text that is signed. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

/** Returns the signed note of a text. */
export function formatSignedNote(
  text: string,
  { key, signature }: { readonly key: VerifierKey; readonly signature: Uint8Array },
): string {
  return `${text}\n— ${key.name} ${encodeBase64(Uint8Array.of(...key.id, ...signature))}\n`
}

/**
 * Verifies a signed checkpoint. Ignores signatures of other keys, such as witnesses. Throws `CheckpointError` if the key's
 * signature is missing or wrong, or if the checkpoint is malformed.
 */
export function verifyCheckpoint(note: string, key: VerifierKey): Checkpoint {
  if (note.length > checkpointBytesMax) throw new CheckpointError('The checkpoint is too long.')
  if (Array.from(note).some((character) => character < ' ' && character !== '\n')) {
    throw new CheckpointError('The checkpoint contains control characters.')
  }
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) throw new CheckpointError('The checkpoint has no signatures.')
  const text = note.slice(0, end + 1)
  const lines = note.slice(end + 2, -1).split('\n')
  const signatures = lines.map(parseSignatureLine).filter(({ name, id }) => name === key.name && equalBytes(id, key.id))
  if (signatures.length === 0) throw new CheckpointError(`The checkpoint is not signed by the key of ${key.name}.`)
  const message = encodeUtf8(text)
  if (!signatures.every(({ signature }) => isSignature(signature, message, key))) {
    throw new CheckpointError(`The signature of ${key.name} on the checkpoint is wrong.`)
  }
  const checkpoint = parseCheckpoint(text)
  if (checkpoint.origin !== key.name) {
    throw new CheckpointError(`The checkpoint is of the log ${checkpoint.origin}, not of ${key.name}.`)
  }
  return checkpoint
}

/** Parses the text of a checkpoint without its signatures. Throws `CheckpointError`. Lines after the third are extensions. */
function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', sizeText = '', rootText = ''] = text.split('\n')
  const root = decodeBase64(rootText)
  const size = Number(sizeText)
  const isSize = /^(0|[1-9]\d{0,15})$/.test(sizeText) && Number.isSafeInteger(size)
  if (!isOrigin(origin) || !isSize || root?.length !== hashBytes) {
    throw new CheckpointError('The checkpoint does not consist of origin, size and root.')
  }
  return { origin, size, root }
}

function parseSignatureLine(line: string) {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? []
  const bytes = decodeBase64(encoded)
  if (!name || !bytes || bytes.length < 5) throw new CheckpointError('A signature line of the checkpoint is malformed.')
  return { name, id: bytes.slice(0, 4), signature: bytes.slice(4) }
}

function isSignature(signature: Uint8Array, message: Uint8Array, { publicKey }: VerifierKey): boolean {
  try {
    // RFC 8032 without the exceptions of ZIP 215: other verifiers must come to the same result.
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false
  }
}
