import type { Clock, Signer } from '@tallystick/api'
import type { DevChain, DevChainOptions } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { DevnetRecord } from './record.ts'
import type { SandboxChain } from './sandbox-chain.ts'

/** A chain of this machine's own, with the protocol and its history. */
export type Devnet = { readonly chain: SandboxChain; readonly node: DevChain; readonly record: DevnetRecord }

export type DevnetParts = {
  readonly clock: Clock
  readonly signer: Signer
  readonly say: (line: string) => void
  /** Starts a node that is stopped with the sandbox, however far that has come. */
  readonly startNode: (options: DevChainOptions) => Promise<DevChain>
}

/** How every node of the devnet is started. */
export function nodeOptions({ id, journal }: SandboxChain): DevChainOptions {
  return {
    chainId: id,
    journalPath: journal,
    // Room for a few hundred lends in one block.
    blockGasLimit: 1_000_000_000n,
  }
}
