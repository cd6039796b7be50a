import type { PortalInfo, PortalVisitor } from '@tallystick/core'
import type { Signer } from '@tallystick/issuer'
import type { ChainConfig, Config } from '../config/config.ts'

export function describePortal({
  chains,
  ens,
  signers,
  visitor,
}: {
  readonly chains: readonly ChainConfig[]
  readonly ens?: Config['ens']
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Pick<Signer, 'address'>>
  readonly visitor: PortalVisitor | undefined
}): PortalInfo {
  return {
    chains: chains
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
    ens: ens !== undefined,
    visitor,
  }
}
