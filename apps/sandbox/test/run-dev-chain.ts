import { openDevChain } from '@tallystick/workbench/dev-chain/open-dev-chain'
import { answerRequest, serveRpc } from '@tallystick/workbench/dev-chain/serve-rpc'

export type LocalDevChainOptions = {
  readonly chainId: number
  /** Unix seconds of the genesis block. */
  readonly timestamp: bigint
  readonly blockGasLimit: bigint
}

export type LocalDevChain = {
  readonly url: string
  /** Handles the body of a JSON-RPC request as `url` does, without HTTP. */
  request(body: string): Promise<string | undefined>
  stop(): Promise<void>
}

/**
 * Runs a development chain in memory in this process. It is quicker than `startDevChain`, but mines only for transactions and
 * requests, not at intervals. Its clock stands still: only requests change the time.
 */
export async function runDevChain({ chainId, timestamp, blockGasLimit }: LocalDevChainOptions): Promise<LocalDevChain> {
  const genesis = { chainId, timestamp: Number(timestamp), blockGasLimit }
  const startMs = Date.now()
  const { chain } = await openDevChain({ ...genesis, systemNowMs: () => startMs, onProgress: () => undefined })
  const { url, stop } = await serveRpc(chain, 0)
  return { url, request: (body) => answerRequest(chain, body), stop }
}
