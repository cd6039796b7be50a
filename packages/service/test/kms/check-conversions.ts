import { convertSignature } from '@tallystick/issuer'
import { type Address, type Hex, toHex } from 'viem'
import type { ChainRecover, Recovery } from './chain-recover.ts'
import { encodeDer, order, type RandomSignature } from './random-signatures.ts'

/**
 * Converts each signature with its low s and with its high s. Throws unless both give r, the low s and the v by which the
 * chain's `ecrecover` returns the address.
 */
export async function checkConversions(
  signatures: readonly RandomSignature[],
  { address, recover }: { readonly address: Address; readonly recover: ChainRecover },
): Promise<void> {
  const candidates = signatures.map(({ digest, r, lowS }) => ({
    hash: toHex(digest),
    r: toHex(r, { size: 32 }),
    s: toHex(lowS, { size: 32 }),
  }))
  const known = new Map<string, Address>()
  const ask = async (recoveries: readonly Recovery[]) => {
    for (const [index, found] of (await recover(recoveries)).entries()) {
      if (found) known.set(keyOf(recoveries[index] as Recovery), found)
    }
  }
  const isKnown = (candidate: Omit<Recovery, 'yParity'>) =>
    known.get(keyOf({ ...candidate, yParity: 0 }))?.toLowerCase() === address.toLowerCase()
  await ask(candidates.map((candidate) => ({ ...candidate, yParity: 0 })))
  await ask(candidates.filter((candidate) => !isKnown(candidate)).map((candidate) => ({ ...candidate, yParity: 1 })))
  const recoverKnown = async ({ hash, signature }: { hash: Hex; signature: { r: Hex; s: Hex; yParity: number } }) => {
    const found = known.get(keyOf({ hash, ...signature }))
    if (!found) throw new Error('the chain recovered nothing, or was not asked')
    return found
  }
  for (const [index, { digest, r, lowS, v }] of signatures.entries()) {
    const { hash, s } = candidates[index] as Omit<Recovery, 'yParity'>
    const expected = `${toHex(r, { size: 32 })}${s.slice(2)}${v.toString(16)}`
    for (const form of [lowS, order - lowS]) {
      const der = encodeDer({ r, s: form })
      const converted = await convertSignature({ der, digest: hash, address }, recoverKnown)
      if (converted !== expected) {
        throw new Error(`digest ${digest.toString('hex')}, DER ${der.toString('hex')}: ${converted}, not ${expected}`)
      }
    }
  }
}

function keyOf({ hash, r, s, yParity }: Recovery): string {
  return `${hash}${r}${s}${yParity}`
}
