import { createHash } from 'node:crypto'

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Returns a deployment id in graph-node's form: the IPFS CIDv0 of the schema's SHA-256. */
export function deploymentOf(schema: string): string {
  // The multihash prefix 0x1220 means SHA-256 with 32 bytes.
  let number = BigInt(`0x1220${createHash('sha256').update(schema).digest('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = `${base58.charAt(Number(number % 58n))}${text}`
  return text
}
