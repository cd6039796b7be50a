import type { Service } from '@tallystick/service'
import type { Devnet } from './devnet/devnet.ts'
import { type Home, logOrigin, readText, writeSecret } from './home/home.ts'
import type { SandboxOptions } from './options.ts'
import { sandboxWallets } from './seed/wallets.ts'

/** Content of `tallystick.json`. */
export type Settings = ReturnType<typeof makeSettings>

export function makeSettings(
  home: Home,
  {
    port,
    frameAncestor,
    visitors = false,
    devnets,
  }: Pick<SandboxOptions, 'port' | 'frameAncestor' | 'visitors'> & { readonly devnets: readonly Devnet[] },
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
    portal: { visitors, frameAncestors: frameAncestor === undefined ? [] : [frameAncestor] },
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

type Access = {
  readonly apiKey: string
  readonly service: Pick<Service, 'baseUrl' | 'adminUrl'>
  readonly devnets: readonly Devnet[]
}

/** Writes URLs, keys and addresses of the sandbox as JSON for programs. */
export function writeCredentials(home: Home, { apiKey, service, devnets }: Access): void {
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

const walletsHint = ' (wallets with public test keys are in the credentials)'

/** Returns the text that the terminal shows before the `ready` line. */
export function welcome(
  home: Home,
  { apiKey, service: { baseUrl, adminUrl }, devnets, command }: Access & Pick<SandboxOptions, 'command'>,
): string {
  const chains = devnets.map(
    ({ chain, node }, index) => `  ${chain.label.padEnd(12)} ${node.url}${index === 0 ? walletsHint : ''}`,
  )
  return `
  base URL     ${baseUrl}
  page         ${baseUrl}/ (for a browser; the key is filled in)
  API key      ${apiKey}
  console      ${adminUrl}/console (for operators; admin token ${readText(home.adminToken)})
${chains.join('\n')}
  credentials  ${home.credentials}
  log          ${home.log}

Try it:

  curl --cacert '${home.caCert}' -H 'x-api-key: ${apiKey}' ${baseUrl}/notes

The command line works while the sandbox runs:

  ${command} notes show --config '${home.config}'

Press Ctrl-C to stop.
`
}
