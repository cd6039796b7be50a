import { explainRevert } from '@tallystick/client'
import type { Provider } from '../connect/provider/provider.ts'

/** Returns why a mined transaction reverted: its call runs again in the state of its block. Undefined if it succeeds there. */
export async function explainFailure(provider: Provider, hash: string): Promise<string | undefined> {
  const found = (await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })) as RawTransaction
  if (!found) return undefined
  const { from, to, input, value, blockNumber } = found
  try {
    await provider.request({ method: 'eth_call', params: [{ from, to, data: input, value }, blockNumber] })
    return undefined
  } catch (error) {
    return explainRevert(error)?.message
  }
}

type RawTransaction = {
  readonly from: string
  readonly to: string
  readonly input: string
  readonly value: string
  readonly blockNumber: string
} | null
