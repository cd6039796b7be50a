import type { Address, Hex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { callContract } from './call-contract.ts'

/** Denylisters of the tokens of a pool, in lower case. Undefined if a token has none. */
export type Denylisters = { readonly positions: Address | undefined; readonly dollar: Address | undefined }

const denylister = '0xbcc76c60'
const paraUSD = '0x6dde5a8d'

/** Reads the denylisters of a pool's position token and dollar. A contract without the getter has none. */
export async function readDenylisters(
  endpoint: RpcEndpoint,
  { pool, positions }: { readonly pool: Address; readonly positions: Address },
): Promise<Denylisters> {
  const read = (to: Address | undefined, data: Hex) => to && readAddress(endpoint, { to, data })
  const [ofPositions, ofDollar] = await Promise.all([
    read(positions, denylister),
    read(pool, paraUSD)?.then((dollar) => read(dollar, denylister)),
  ])
  return { positions: ofPositions, dollar: ofDollar }
}

async function readAddress(
  endpoint: RpcEndpoint,
  call: { readonly to: Address; readonly data: Hex },
): Promise<Address | undefined> {
  const outcome = await callContract(endpoint, call)
  const value = 'value' in outcome ? outcome.value.toLowerCase() : ''
  const isAddress = /^0x0{24}[0-9a-f]{40}$/.test(value) && BigInt(value) > 0n
  return isAddress ? `0x${value.slice(-40)}` : undefined
}
