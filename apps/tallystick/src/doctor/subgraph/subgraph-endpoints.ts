import type { X509Certificate } from 'node:crypto'
import { parseJson } from '@tallystick/core'
import { listMature, maturePositionsQuery } from '@tallystick/gateway'
import type { ChainConfig, Config } from '@tallystick/service'
import { reachableHost } from '../check-certificate.ts'
import { type Endpoint, postQuery } from './post-query.ts'

/** Returns the URLs of a chain's remote subgraph, with their headers. */
export function listRemoteEndpoints({ subgraph }: Pick<ChainConfig, 'subgraph'>): readonly Endpoint[] {
  const headers = Object.fromEntries(
    Object.entries(subgraph?.headers ?? {}).map(([name, value]) => [name, value.reveal()]),
  )
  return (subgraph?.urls ?? []).map((url) => ({ url, headers }))
}

type EmbeddedEndpointOptions = {
  readonly chain: Pick<ChainConfig, 'id'>
  readonly listen: Config['listen']
  readonly certificate: X509Certificate | undefined
}

/** Returns where a running service that ends TLS serves the embedded subgraph of a chain. */
export function embeddedEndpoint({ chain, listen, certificate }: EmbeddedEndpointOptions): Endpoint {
  const host = reachableHost(listen.host)
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${listen.port}/subgraphs/${chain.id}`
  return { url, headers: {}, fingerprint256: certificate?.fingerprint256 }
}

/** Returns mature positions by the first subgraph that has some. Failures are left to the checks of the subgraphs. */
export async function findMaturePositions(
  endpoints: readonly Endpoint[],
  nowSeconds: bigint,
): Promise<readonly bigint[]> {
  for (const endpoint of endpoints) {
    const found = await postQuery(endpoint, { body: { query: maturePositionsQuery } })
      .then(({ text }) => listMature((parseJson(text) as { readonly data?: unknown }).data, nowSeconds))
      .catch(() => [])
    if (found.length > 0) return found
  }
  return []
}
