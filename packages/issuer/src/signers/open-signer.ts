import type { Secret } from '@tallystick/base'
import type { Address } from 'viem'
import { openKeystoreSigner } from './keystore-signer.ts'
import { type AwsKmsOptions, openAwsKmsSigner } from './kms/aws-kms.ts'
import { type GcpKmsOptions, openGcpKmsSigner } from './kms/gcp-kms.ts'
import { createPrivateKeySigner } from './private-key-signer.ts'
import type { Signer } from './signer.ts'
import { createWeb3Signer, type Web3SignerOptions } from './web3-signer.ts'

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

/** Opens the configured signer. */
export async function openSigner(config: SignerSettings): Promise<Signer> {
  switch (config.kind) {
    case 'private-key':
      return createPrivateKeySigner(config.key.reveal())
    case 'keystore':
      return openKeystoreSigner({ path: config.path, password: config.password.reveal() })
    case 'web3signer':
      return createWeb3Signer(config)
    case 'aws-kms':
      return openAwsKmsSigner(config)
    case 'gcp-kms':
      return openGcpKmsSigner(config)
  }
}
