import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Clock } from '@tallystick/base'
import type { Signer } from '@tallystick/issuer'
import type { DevChain, DevChainOptions } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { Address, Hash } from 'viem'
import type { SandboxChain } from '../home/sandbox-chain.ts'
import type { Protocol } from '../protocol/deploy-protocol.ts'

/** Local chain with the deployed protocol and its history. */
export type Devnet = { readonly chain: SandboxChain; readonly node: DevChain; readonly record: DevnetRecord }

/** Description of a chain, stored beside it. It is written last, so a chain without it is incomplete. */
export type DevnetRecord = {
  readonly protocol: Protocol
  readonly signer: Address
  readonly sourcesHash: string
  readonly positionCount: number
  /** Last block of the seeded history. It identifies the chain. */
  readonly seeded: { readonly number: number; readonly hash: Hash }
}

export type DevnetParts = {
  readonly clock: Clock
  readonly signer: Signer
  readonly say: (line: string) => void
  /** Starts a node that is stopped with the sandbox, even during its start. */
  readonly startNode: (options: DevChainOptions) => Promise<DevChain>
}

/** Returns the options of a chain's node. */
export function nodeOptions({ id, journal }: SandboxChain): DevChainOptions {
  // Enough gas for hundreds of lends in one block.
  return { chainId: id, journalPath: journal, blockGasLimit: 1_000_000_000n }
}

/** Returns undefined if the record is missing or cannot be parsed. */
export function findRecord({ record }: SandboxChain): DevnetRecord | undefined {
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as DevnetRecord
  } catch {
    return undefined
  }
}

export function writeRecord({ record: path }: SandboxChain, record: DevnetRecord): void {
  writeFileSync(`${path}.draft`, `${JSON.stringify(record, undefined, 2)}\n`)
  renameSync(`${path}.draft`, path)
}
