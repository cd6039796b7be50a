import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

// Part of a verifier that was written from the specifications alone: it imports nothing of this repository, so that a
// mistake of ours cannot hide in both. This file: C2SP signed-note and tlog-checkpoint.

export type Key = { readonly name: string; readonly id: string; readonly publicKey: KeyObject }
export type TreeHead = { readonly origin: string; readonly size: number; readonly root: Buffer }

/** What a verifier finds wrong. */
export class Finding extends Error {
  override readonly name = 'Finding'
}

export function demand(isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new Finding(problem)
}

// DER prefix of an Ed25519 public key (RFC 8410 §4).
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** Reads `<name>+<key ID>+<base64(0x01 || public key)>`, with or without space around it. */
export function readKey(text: string): Key {
  const [name = '', id = '', ...rest] = text.trim().split('+')
  const encoded = readBase64(rest.join('+'))
  demand(isKeyName(name), 'the name of the key is malformed')
  demand(encoded.length === 33 && encoded[0] === 1, 'the key is not an Ed25519 key')
  const hash = createHash('sha256').update(`${name}\n`).update(encoded).digest('hex')
  demand(hash.slice(0, 8) === id, 'the ID of the key is not that of its name and bytes')
  const der = Buffer.concat([spkiPrefix, encoded.subarray(1)])
  return { name, id, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) }
}

/** Verifies a signed note and returns its text. Signatures of unknown keys are ignored. */
export function openNote(note: Buffer, key: Key): string {
  const whole = note.toString('utf8')
  demand(Buffer.from(whole, 'utf8').equals(note), 'the note is not valid UTF-8')
  demand(
    [...whole].every((char) => char >= ' ' || char === '\n'),
    'the note contains control characters',
  )
  const separator = whole.lastIndexOf('\n\n')
  demand(separator > 0 && whole.endsWith('\n'), 'the note has no signatures')
  const text = whole.slice(0, separator + 1)
  const lines = whole.slice(separator + 2, -1).split('\n')
  const own = lines.map(readSignature).filter(({ name, id }) => name === key.name && id === key.id)
  demand(own.length > 0, 'the note is not signed by this key')
  for (const { signature } of own) {
    demand(
      signature.length === 64 && verify(null, Buffer.from(text), key.publicKey, signature),
      'a signature of this key is wrong',
    )
  }
  return text
}

function readSignature(line: string) {
  const [dash, name = '', encoded = '', ...rest] = line.split(' ')
  demand(dash === '\u2014' && isKeyName(name) && rest.length === 0, 'a signature line is malformed')
  const bytes = readBase64(encoded)
  demand(bytes.length > 4, 'a signature is too short')
  return { name, id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) }
}

/** Reads the text of a checkpoint: origin, size, root, and extension lines, which are ignored. */
export function readTreeHead(text: string): TreeHead {
  const lines = text.split('\n').slice(0, -1)
  const [origin = '', size = '', rootText = ''] = lines
  demand(lines.length >= 3 && lines.every((line) => line !== ''), 'a checkpoint has at least three lines, none empty')
  demand(
    /^(0|[1-9][0-9]*)$/.test(size) && Number.isSafeInteger(Number(size)),
    'the size of the checkpoint is malformed',
  )
  const root = readBase64(rootText)
  demand(root.length === 32, 'the root is not a SHA-256 hash')
  return { origin, size: Number(size), root }
}

/** Verifies a checkpoint of the log whose origin is the name of its key. */
export function openCheckpoint(note: Buffer, key: Key): TreeHead {
  const head = readTreeHead(openNote(note, key))
  demand(head.origin === key.name, 'the checkpoint is of another log')
  return head
}

function isKeyName(name: string): boolean {
  return name !== '' && !/[\s+]/u.test(name)
}

/** Decodes base64 with padding. There is one text for each sequence of bytes (RFC 4648 §3.5). */
function readBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  demand(text !== '' && bytes.toString('base64') === text, 'the base64 is malformed')
  return bytes
}
