import { TallystickError } from '@tallystick/core'
import type { Config } from '../config.ts'
import { openSigner } from '../notes/signers/open-signer.ts'
import { signNote } from '../notes/signers/sign-note.ts'
import { type Signer, SignerError, type SignerFailure } from '../notes/signers/signer.ts'
import type { Findings } from './findings.ts'

/** Opens the signer and lets it sign a note nobody can use. Resolves to the signer if its signature is its own. */
export async function checkSigner(
  findings: Findings,
  { signer: config, chains }: Pick<Config, 'signer' | 'chains'>,
): Promise<Signer | undefined> {
  try {
    const signer = await openSigner(config)
    findings.ok('opens', `${signer.kind}, address ${signer.address}`)
    const [chain] = chains
    if (!chain) return undefined
    // A window that closed in 1970: whatever becomes of the signature, no pool ever takes it.
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
  unreachable: 'See that it runs and that signer.url and signer.tls are right.',
  timeout: 'See whether it hangs, and what its own log says.',
  refused:
    'See that it holds the key of signer.address, that its version is 25.9 or later, and that signer.headers and signer.tls are right.',
  malformed: 'See that signer.url is Web3Signer’s, of version 25.9 or later.',
  wrong_key: 'See that its key is that of signer.address and, for Web3Signer, that its version is 25.9 or later.',
}

function adviseOn(error: TallystickError, kind: Config['signer']['kind']): string {
  if (error instanceof SignerError) return adviceByFailure[error.failure]
  if (kind === 'keystore') return 'Correct signer.path, or what signer.password names.'
  return 'Correct what signer.key names.'
}
