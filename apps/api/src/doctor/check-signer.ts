import { TallystickError } from '@tallystick/core'
import type { ChainConfig, SignerConfig } from '../config.ts'
import { openSigner } from '../notes/signers/open-signer.ts'
import type { SignerUse } from '../notes/signers/open-signers.ts'
import { signNote } from '../notes/signers/sign-note.ts'
import { type Signer, SignerError, type SignerFailure } from '../notes/signers/signer.ts'
import type { Findings } from './findings.ts'

/** Opens the signer and signs an unusable note. Resolves to the signer if the signature is valid. */
export async function checkSigner(
  findings: Findings,
  { config, chains }: SignerUse<ChainConfig>,
): Promise<Signer | undefined> {
  try {
    const signer = await openSigner(config)
    findings.ok('opens', `${signer.kind}, address ${signer.address}`)
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
    const isOpen = findings.checks.length > 0
    findings.fail(isOpen ? 'signs' : 'opens', error.message, adviseOn(error, config.kind))
    return undefined
  }
}

const adviceByFailure: Readonly<Record<SignerFailure, string>> = {
  unreachable: 'Check that it runs, and check signer.url and signer.tls.',
  timeout: 'Check whether it hangs, and its log.',
  refused:
    'Check that it holds the key of signer.address and is version 25.9 or later, and check signer.headers and signer.tls.',
  malformed: 'Check that signer.url is a Web3Signer of version 25.9 or later.',
  wrong_key: 'Check that it holds the key of signer.address and, for Web3Signer, that it is version 25.9 or later.',
}

function adviseOn(error: TallystickError, kind: SignerConfig['kind']): string {
  if (error instanceof SignerError) return adviceByFailure[error.failure]
  if (kind === 'keystore') return 'Correct signer.path or signer.password.'
  return 'Correct signer.key.'
}
