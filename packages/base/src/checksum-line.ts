import { createHash } from 'node:crypto'

/** Encodes a line: 16 hex digits of the JSON's SHA-256, a space, the JSON and a line break. */
export function encodeChecksumLine(value: unknown): Buffer {
  const json = JSON.stringify(value)
  return Buffer.from(`${checksumOf(Buffer.from(json))} ${json}\n`)
}

/** Decodes a line without its line break. Returns undefined if the checksum is wrong or the content is not JSON. */
export function decodeChecksumLine(line: Buffer): unknown {
  const json = line.subarray(checksumLength + 1)
  if (line.toString('latin1', 0, checksumLength + 1) !== `${checksumOf(json)} `) return undefined
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Returns a strong entity tag of a body. */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

const checksumLength = 16

function checksumOf(json: Buffer): string {
  return createHash('sha256').update(json).digest('hex').slice(0, checksumLength)
}
