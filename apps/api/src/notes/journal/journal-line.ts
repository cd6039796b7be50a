import { createHash } from 'node:crypto'

/** One line: 16 hex digits of the SHA-256 of the rest, a space, JSON. */
export function encodeJournalLine(value: unknown): Buffer {
  const json = JSON.stringify(value)
  return Buffer.from(`${checksumOf(Buffer.from(json))} ${json}\n`)
}

/** What a line without its line break holds; undefined if it is damaged. Throws if it is sealed and no JSON. */
export function decodeJournalLine(line: Buffer): unknown {
  const json = line.subarray(checksumLength + 1)
  if (line.toString('latin1', 0, checksumLength + 1) !== `${checksumOf(json)} `) return undefined
  return JSON.parse(json.toString('utf8'))
}

const checksumLength = 16

function checksumOf(json: Buffer): string {
  return createHash('sha256').update(json).digest('hex').slice(0, checksumLength)
}
