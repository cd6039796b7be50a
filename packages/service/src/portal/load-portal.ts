import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PortalInfo, PortalVisitor } from '@tallystick/core'
import type { Signer } from '@tallystick/issuer'
import type { Config } from '../config/config.ts'
import { type PortalFiles, readPortalFiles } from './portal-files.ts'
import { type PortalParts, type TestWallet, testWalletPath } from './portal-routes.ts'

/** Options of the web page. */
export type PortalOptions = {
  /** Key and wallets that a sandbox shows to every visitor. Not configurable, because a production key must stay secret. */
  readonly visitor?: Omit<PortalVisitor, 'wallet'> | undefined
  /** Wallet that the page of a sandbox announces. Not configurable, because everybody can spend from it. */
  readonly testWallet?: TestWallet | undefined
  /** Directory of the built page. Default: the target of the portal's build. */
  readonly directory?: string | undefined
}

// Target of the portal's build. Found by the name of the package, because this module is in bundles of other directories.
const builtDirectory = join(
  dirname(createRequire(import.meta.url).resolve('@tallystick/service/package.json')),
  'portal',
)

type PortalContext = {
  readonly config: Pick<Config, 'chains' | 'ens' | 'portal'>
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Pick<Signer, 'address'>>
  readonly options: PortalOptions | undefined
}

/** Loads the built web page, if there is one, and its data. */
export function loadPortal(context: PortalContext): PortalParts {
  const { testWallet, directory = builtDirectory } = context.options ?? {}
  return { files: readPortalFiles(directory), info: describePortal(context), testWallet }
}

function describePortal({ config, signers, options: { visitor, testWallet } = {} }: PortalContext): PortalInfo {
  const { frameAncestors } = config.portal
  const wallet = testWallet && { address: testWallet.address, rpcPath: testWalletPath }
  return {
    chains: config.chains
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, name, domain: { verifyingContract, ...domain }, subgraph, publicRpc, currency, explorer }) => ({
        id,
        name,
        pool: verifyingContract,
        domain,
        signer: (signers.get(id) as Signer).address,
        hasData: subgraph !== undefined,
        publicRpc,
        currency,
        explorer,
      })),
    ens: config.ens !== undefined,
    visitors: config.portal.visitors ? true : undefined,
    frameAncestors: frameAncestors.length > 0 ? frameAncestors : undefined,
    visitor: visitor && { ...visitor, wallet },
  }
}

/** Loads the operator's console, if it was built. It is beside the files of the page, which alone are public. */
export function loadConsole({ directory = builtDirectory }: PortalOptions = {}): PortalFiles | undefined {
  return readPortalFiles(join(directory, 'console'))
}
