import type { Service } from '@tallystick/service'
import type { Devnet } from '../devnet/devnet.ts'
import { type Home, logOrigin, writeSecret } from '../home/home.ts'

/** Content of `tallystick.json`. */
export type Settings = ReturnType<typeof makeSettings>

export function makeSettings(
  home: Home,
  { port, devnets }: { readonly port: number; readonly devnets: readonly Devnet[] },
) {
  return {
    listen: { host: 'localhost', port, tls: home.tls, publicRpm: null, lameDuckSeconds: 0 },
    admin: {
      host: '127.0.0.1',
      port: 0,
      token: `file:${home.adminToken}`,
      tokens: [{ name: 'viewer', token: `file:${home.viewerToken}`, roles: ['view'] }],
    },
    database: `file:${home.database}`,
    // Receivers of webhooks on this machine.
    hooks: { allowPrivate: ['127.0.0.0/8', '::1'] },
    signer: { kind: 'private-key', key: `file:${home.signerKey}`, journal: home.journal },
    log: { origin: logOrigin, key: `file:${home.logKey}`, journal: home.logJournal },
    chains: devnets.map(({ chain, node, record: { protocol } }) => ({
      id: chain.id,
      name: chain.name,
      pool: protocol.pool,
      rpc: [node.url],
      publicRpc: [node.url],
      subgraph: { embedded: { positions: protocol.positions, startBlock: 0 } },
    })),
  }
}

/** Writes the settings with the actual ports of the listeners, so that `tallystick --config` reaches them. */
export function writeConfig(
  home: Home,
  { settings, service }: { readonly settings: Settings; readonly service: Pick<Service, 'adminUrl' | 'baseUrl'> },
): void {
  const listen = { ...settings.listen, port: portOf(service.baseUrl) }
  const admin = { ...settings.admin, port: portOf(service.adminUrl) }
  writeSecret(home.config, `${JSON.stringify({ ...settings, listen, admin }, undefined, 2)}\n`)
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  // A URL omits the default port of its scheme.
  return Number(port || (protocol === 'https:' ? 443 : 80))
}
