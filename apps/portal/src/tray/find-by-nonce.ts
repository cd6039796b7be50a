import type { Provider } from '../connect/provider/provider.ts'
import { fingerprintCall } from '../sent/sent-transaction.ts'

type Wanted = { readonly account: string; readonly nonce: number }

// Enough for a day of blocks of one second.
const blocksBackMax = 131_072

/**
 * Finds the mined transaction of an account with a nonce, by its number of transactions at earlier blocks. Returns undefined if
 * it was mined too long ago. Throws if the node does not keep the state of these blocks.
 */
export async function findByNonce(
  provider: Provider,
  { account, nonce }: Wanted,
): Promise<{ readonly hash: string; readonly call: string } | undefined> {
  const isUsedAt = async (block: number) =>
    Number(await provider.request({ method: 'eth_getTransactionCount', params: [account, toHex(block)] })) > nonce
  let used = Number(await provider.request({ method: 'eth_blockNumber' }))
  let free = used - 1
  for (let step = 1; free >= 0 && (await isUsedAt(free)); step *= 2) {
    if (step > blocksBackMax) return undefined
    used = free
    free -= step
  }
  free = Math.max(free, -1)
  while (used - free > 1) {
    const middle = Math.floor((used + free) / 2)
    if (await isUsedAt(middle)) used = middle
    else free = middle
  }
  const block = (await provider.request({ method: 'eth_getBlockByNumber', params: [toHex(used), true] })) as RawBlock
  const found = block?.transactions?.find(
    (one) => String(one.from).toLowerCase() === account && Number(one.nonce) === nonce,
  )
  if (!found || !/^0x[0-9a-f]{64}$/i.test(String(found.hash))) return undefined
  return { hash: String(found.hash).toLowerCase(), call: fingerprintCall({ to: found.to, data: found.input }) }
}

type RawBlock = {
  readonly transactions?: readonly {
    readonly hash?: unknown
    readonly from?: unknown
    readonly nonce?: unknown
    readonly to?: unknown
    readonly input?: unknown
  }[]
} | null

function toHex(block: number): string {
  return `0x${block.toString(16)}`
}
