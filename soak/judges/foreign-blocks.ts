import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import type { SoakChain } from '../environment/chain.ts'
import type { Exchange } from './judge.ts'

type Entry = {
  readonly chain?: number
  readonly data?: { readonly _meta?: { readonly block?: { readonly number?: number; readonly hash?: string } } } | null
}

/** Creates a check of the blocks that `/data` names: none may be of another chain than the one that it is served for. */
export function createForeignBlockCheck(
  chains: readonly Pick<SoakChain, 'id' | 'url'>[],
  onViolation: (message: string) => void,
): (exchange: Pick<Exchange, 'endpoint' | 'answer' | 'replica'>) => void {
  const checked = new Set<string>()
  const check = async (id: number, hash: string, replica: string) => {
    for (const other of chains.filter((chain) => chain.id !== id)) {
      const [block] = await callNode(other.url, [{ method: 'eth_getBlockByHash', params: [hash, false] }])
      if (block) onViolation(`${replica} /data: block ${hash} of chain ${other.id} is served for chain ${id}`)
    }
  }
  return ({ endpoint, answer, replica }) => {
    if (endpoint !== '/data' || answer?.status !== 200 || !answer.body.includes('"_meta"')) return
    for (const { chain, data } of JSON.parse(answer.body) as readonly Entry[]) {
      const { number, hash } = data?._meta?.block ?? {}
      // The first block may be the same on all chains.
      if (chain === undefined || !hash || !number || checked.has(`${chain} ${hash}`)) continue
      checked.add(`${chain} ${hash}`)
      check(chain, hash, replica).catch(() => undefined)
    }
  }
}
