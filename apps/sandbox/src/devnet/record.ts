import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Address, Hash } from 'viem'
import type { Protocol } from '../deploy-protocol.ts'

/** Description of a chain, stored beside it. It is written last, so a chain without it is incomplete. */
export type DevnetRecord = {
  readonly protocol: Protocol
  readonly signer: Address
  readonly sourcesHash: string
  readonly positionCount: number
  /** Last block of the seeded history. It identifies the chain. */
  readonly seeded: { readonly number: number; readonly hash: Hash }
}

/** Returns undefined if the record is missing or cannot be parsed. */
export function findRecord(path: string): DevnetRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DevnetRecord
  } catch {
    return undefined
  }
}

export function writeRecord(path: string, record: DevnetRecord): void {
  writeFileSync(`${path}.draft`, `${JSON.stringify(record, undefined, 2)}\n`)
  renameSync(`${path}.draft`, path)
}
