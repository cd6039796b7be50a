import type { Clock, Signer } from '@tallystick/api'
import type { Anvil, AnvilOptions } from '@tallystick/workbench/anvil'
import type { Home } from '../home.ts'
import type { DevnetRecord } from './record.ts'

/** A chain of this machine's own, with the protocol and its history. */
export type Devnet = { readonly anvil: Anvil; readonly record: DevnetRecord }

export type DevnetParts = {
  readonly home: Home
  readonly clock: Clock
  readonly signer: Signer
  readonly say: (line: string) => void
  /** Starts a node that is stopped with the sandbox, however far that has come. */
  readonly startNode: (options: AnvilOptions) => Promise<Anvil>
}

export const devnetChainId = 324

/** How every node of the devnet is started. */
export function nodeOptions({ chain }: Home): AnvilOptions {
  return {
    chainId: devnetChainId,
    statePath: chain.state,
    // Room for a few hundred lends in one block.
    blockGasLimit: 1_000_000_000n,
    // Enough to rehearse a reorg of 64 blocks; with many positions each costs memory.
    statesKept: 70,
  }
}
