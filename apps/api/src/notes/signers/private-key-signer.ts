import { noteTypedData, TallystickError } from '@tallystick/core'
import { privateKeyToAccount } from 'viem/accounts'
import type { Signer } from './signer.ts'

/** A signer that keeps its key in this process. */
export function createPrivateKeySigner(privateKey: string, kind: Signer['kind'] = 'private-key'): Signer {
  const account = (() => {
    try {
      return privateKeyToAccount(privateKey as `0x${string}`)
    } catch {
      // The library's own message may quote what it was given, which here is a secret.
      throw new TallystickError({
        code: 'invalid_config',
        message: 'The signer’s private key is not 0x and 64 hex digits of a number on the curve.',
        retryable: false,
      })
    }
  })()
  return {
    kind,
    address: account.address,
    sign: (terms, domain) => account.signTypedData(noteTypedData(terms, domain)),
  }
}
