import { TallystickError } from '@tallystick/core'
import { openSigner, type Signer, SignerError, type SignerFailure, type SignerUse, signNote } from '@tallystick/issuer'
import type { ChainConfig, SignerConfig } from '@tallystick/service'
import type { Findings } from './findings.ts'

/** Opens the signer and signs an unusable note. Resolves to the signer if the signature is valid. */
export async function checkSigner(
  findings: Findings,
  { config, chains }: SignerUse<ChainConfig>,
): Promise<Signer | undefined> {
  try {
    const signer = await openSigner(config)
    if (signer.unchecked) {
      const problem = `its public key cannot be compared with signer.address ${signer.address}: ${signer.unchecked.message}`
      findings.warn('opens', problem, adviseOn(signer.unchecked, config.kind))
    } else findings.ok('opens', `${signer.kind}, address ${signer.address}`)
    const [chain] = chains
    if (!chain) return undefined
    // Valid in 1970 only, so no pool ever accepts it.
    const window = { validAfter: 0n, validBefore: 2n }
    const terms = { chainId: chain.id, maturityTimestamp: 2n, coupon: 1n, startedAt: 0n, ...window }
    await signNote(signer, { terms, domain: chain.domain })
    findings.ok('signs', `its signature recovers to ${signer.address}`)
    return signer
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    const isOpen = findings.list.length > 0
    findings.fail(isOpen ? 'signs' : 'opens', error.message, adviseOn(error, config.kind))
    return undefined
  }
}

const web3SignerAdvice: Readonly<Record<SignerFailure, string>> = {
  unreachable: 'Check that it runs, and check signer.url and signer.tls.',
  timeout: 'Check whether it hangs, and its log.',
  refused:
    'Check that it holds the key of signer.address and is version 25.9 or later, and check signer.headers and signer.tls.',
  malformed: 'Check that signer.url is a Web3Signer of version 25.9 or later.',
  wrong_key: 'Check that it holds the key of signer.address and, for Web3Signer, that it is version 25.9 or later.',
}

const kmsAdvice: Readonly<Record<SignerFailure, string>> = {
  unreachable: 'Check the network from this machine to the KMS, signer.endpoint, and the quotas of the KMS.',
  timeout: 'Check the network from this machine to the KMS, and signer.endpoint.',
  refused: 'Check the credentials of the service, its permissions on the key, and the state of the key.',
  malformed: 'Check that signer.endpoint is the KMS and not a proxy that changes responses.',
  wrong_key: 'Check that signer.address belongs to the key.',
}

function adviseOn(error: TallystickError, kind: SignerConfig['kind']): string {
  const isKms = kind === 'aws-kms' || kind === 'gcp-kms'
  if (error instanceof SignerError) return (isKms ? kmsAdvice : web3SignerAdvice)[error.failure]
  if (isKms) return 'Correct the signer. See "Keys in a KMS" in docs/operating/signer.md.'
  if (kind === 'keystore') return 'Correct signer.path or signer.password.'
  return 'Correct signer.key.'
}
