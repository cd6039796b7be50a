import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashNote, invalidConfig } from '@tallystick/core'
import { privateKeyToAccount } from 'viem/accounts'
import type { Signer } from './signer.ts'

/** Creates a signer that holds its key in memory. */
export function createPrivateKeySigner(privateKey: string, kind: Signer['kind'] = 'private-key'): Signer {
  const account = (() => {
    try {
      return privateKeyToAccount(privateKey as `0x${string}`)
    } catch {
      // The library's message may contain the key.
      throw invalidConfig(
        'The signer’s private key is invalid. It must be 0x and 64 hex digits, within the range of secp256k1.',
      )
    }
  })()
  // One signature per turn of the event loop, because it takes milliseconds.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => nextTurn()).then(work)
    last = result.catch(() => undefined)
    return result
  }
  return {
    kind,
    address: account.address,
    sign: (terms, domain) => inTurn(() => account.sign({ hash: hashNote(terms, domain) })),
  }
}
