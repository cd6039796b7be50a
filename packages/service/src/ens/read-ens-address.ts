import { type RpcEndpoint, RpcError } from '@tallystick/chain'
import { type Address, BaseError, createClient, custom } from 'viem'

/** Address of a name, or why it has none. */
export type EnsAnswer = { readonly address: Address } | { readonly reason: 'not-found' | 'off-chain' }

// OffchainLookup of EIP-3668. It names URLs that a client is to fetch.
const offchainLookup = '0x556f1830'

/**
 * Reads the address of a normalized name through the first endpoint that answers. URLs that a contract names are never
 * fetched: anybody can set them, to hosts that only this service reaches.
 */
export async function readEnsAddress(
  name: string,
  { endpoints, universalResolver }: { readonly endpoints: readonly RpcEndpoint[]; readonly universalResolver: Address },
): Promise<EnsAnswer> {
  const { getEnsAddress } = await import('viem/ens')
  let failure: unknown
  for (const endpoint of endpoints) {
    const request = ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      endpoint.call({ method, params })
    const client = createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false })
    try {
      const address = await getEnsAddress(client, { name, universalResolverAddress: universalResolver })
      return address ? { address } : { reason: 'not-found' }
    } catch (error) {
      const cause = findRpcError(error)
      if (cause?.kind === 'error' && String(cause.data).startsWith(offchainLookup)) return { reason: 'off-chain' }
      failure = cause ?? error
    }
  }
  throw failure
}

function findRpcError(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error
  const found = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcError) : null
  return found instanceof RpcError ? found : undefined
}
