import type { Clock } from '@tallystick/base'
import type { Signer } from '@tallystick/issuer'
import type { DevChain, DevChainOptions } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { DevnetRecord } from './record.ts'
import type { SandboxChain } from './sandbox-chain.ts'

/** Local chain with the deployed protocol and its history. */
export type Devnet = { readonly chain: SandboxChain; readonly node: DevChain; readonly record: DevnetRecord }

export type DevnetParts = {
  readonly clock: Clock
  readonly signer: Signer
  readonly say: (line: string) => void
  /** Starts a node that is stopped with the sandbox, even during its start. */
  readonly startNode: (options: DevChainOptions) => Promise<DevChain>
}

/** Returns the options of a chain's node. */
export function nodeOptions({ id, journal }: SandboxChain): DevChainOptions {
  return {
    chainId: id,
    journalPath: journal,
    // Enough for hundreds of lends in one block.
    blockGasLimit: 1_000_000_000n,
  }
}
