import type { Service } from '@tallystick/service'
import type { Devnet } from '../devnet/devnet.ts'
import { type Home, readText, writeSecret } from '../home/home.ts'
import { sandboxWallets } from '../seed/wallets.ts'

/** Writes URLs, keys and addresses of the sandbox as JSON for programs. */
export function writeCredentials(
  home: Home,
  {
    apiKey,
    service,
    devnets,
  }: { readonly apiKey: string; readonly service: Service; readonly devnets: readonly Devnet[] },
): void {
  const credentials = {
    baseUrl: service.baseUrl,
    apiKey,
    caCert: home.caCert,
    adminUrl: service.adminUrl,
    adminToken: readText(home.adminToken),
    viewerToken: readText(home.viewerToken),
    chains: devnets.map(({ chain: { id }, node, record: { protocol, signer } }) => ({
      id,
      rpcUrl: node.url,
      pool: protocol.pool,
      positions: protocol.positions,
      token: protocol.token,
      signer,
      subgraphUrl: `${service.baseUrl}/subgraphs/${id}`,
    })),
    wallets: sandboxWallets().lenders,
  }
  writeSecret(home.credentials, `${JSON.stringify(credentials, undefined, 2)}\n`)
}
