import { openKeystoreSigner } from './keystore-signer.ts'
import { openAwsKmsSigner } from './kms/aws-kms.ts'
import { openGcpKmsSigner } from './kms/gcp-kms.ts'
import { createPrivateKeySigner } from './private-key-signer.ts'
import type { Signer } from './signer.ts'
import type { SignerSettings } from './signer-settings.ts'
import { createWeb3Signer } from './web3-signer.ts'

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
