import type { Secret } from '@tallystick/base'
import type { Address } from 'viem'
import type { AwsKmsOptions } from './kms/aws-kms.ts'
import type { GcpKmsOptions } from './kms/gcp-kms.ts'
import type { Web3SignerOptions } from './web3-signer.ts'

/** Where the key of a signer is. */
export type SignerSettings = (
  | { readonly kind: 'private-key'; readonly key: Secret }
  | { readonly kind: 'keystore'; readonly path: string; readonly password: Secret }
  | ({ readonly kind: 'web3signer' } & Web3SignerOptions)
  | ({ readonly kind: 'aws-kms' } & AwsKmsOptions)
  | ({ readonly kind: 'gcp-kms' } & GcpKmsOptions)
) & {
  /** Signer that a planned change registers on the pool, so that the change is told apart from an attack. */
  readonly next?: Address | undefined
}
