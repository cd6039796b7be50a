import type { NoteDomain } from '@tallystick/core'
import { type Address, isAddressEqual } from 'viem'
import type { SignerSettings } from './open-signer.ts'

const keyMembers: Readonly<Record<SignerSettings['kind'], string>> = {
  'private-key': 'key',
  keystore: 'path',
  web3signer: 'address',
  'aws-kms': 'keyId',
  'gcp-kms': 'key',
}

type SignerAdviceOptions = {
  readonly config: { readonly signer: SignerSettings }
  readonly chain: { readonly signer: SignerSettings; readonly domain: NoteDomain }
  /** Address of the configured signer; undefined if it cannot be used. */
  readonly configured: Address | undefined
  /** Signer whose notes the pool accepts; undefined if it is the one that signed. */
  readonly registered: Address | undefined
}

/** Returns what to do if the pool of a chain accepts notes of another signer, by what the configuration has. */
export function adviseOnSigner({ config, chain, configured, registered }: SignerAdviceOptions): string {
  const { signer, domain } = chain
  const member = signer === config.signer ? 'signer' : 'chains[].signer'
  const option = `${member}.${keyMembers[signer.kind]}`
  if (!registered) return 'Correct chains[].domain, chains[].id or chains[].pool: the pool hashes notes differently.'
  if (configured && isAddressEqual(registered, configured)) {
    return `The configured signer (${signer.kind}, ${option}) is registered. It signs from the next unsigned period on.`
  }
  const { next } = signer
  if (next && isAddressEqual(registered, next)) {
    return `The pool has the signer that ${member}.next announces. Configure its key in ${option} (${signer.kind}) and restart, or register the old one again with setVerifierSigner. "Rotating the signer" in docs/operating/signer-rotation.md has the order.`
  }
  const register = configured ? `setVerifierSigner(${configured})` : 'setVerifierSigner'
  return `Call ${register} on the pool ${domain.verifyingContract} from the role that may, or configure the key of ${registered} in ${option} (${signer.kind}) and restart. If you did not change the signer, treat it as a leaked key: docs/operating/signer-rotation.md says how.`
}
