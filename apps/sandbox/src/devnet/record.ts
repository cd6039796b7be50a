import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Address, Hash } from 'viem'
import type { Protocol } from '../deploy-protocol.ts'

/** What the sandbox knows of the chain it made, kept beside it. Written last: without it, the chain is unfinished. */
export type DevnetRecord = {
  readonly protocol: Protocol
  readonly signer: Address
  readonly sourcesHash: string
  readonly positionCount: number
  /** The block the history ends with: a chain without it is another one. */
  readonly seeded: { readonly number: number; readonly hash: Hash }
}

/** Undefined if there is none, or one that cannot be read. */
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
