import { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import { openSigner, type SignerSettings } from './open-signer.ts'
import type { Signer } from './signer.ts'

type SigningChain = { readonly id: number; readonly signer: SignerSettings }

/** A signer and the chains that use it. */
export type SignerUse<Chain> = { readonly config: SignerSettings; readonly chains: readonly Chain[] }

/** Lists the different signers of the chains. */
export function listSigners<Chain extends SigningChain>(chains: readonly Chain[]): SignerUse<Chain>[] {
  const uses = new Map<string, SignerUse<Chain>>()
  for (const chain of chains) {
    const key = identify(chain.signer)
    const known = uses.get(key)
    uses.set(key, { config: chain.signer, chains: [...(known?.chains ?? []), chain] })
  }
  return [...uses.values()]
}

/** Says which signers are used, by their addresses. */
export function saySigners(
  signers: ReadonlyMap<number, Signer>,
  { say, log }: { readonly say: (line: string) => void; readonly log: Logger },
): void {
  const different = new Set(signers.values())
  for (const signer of different) {
    const ids = [...signers.keys()].filter((id) => signers.get(id) === signer)
    const where = different.size === 1 ? '' : ` on chain ${ids.join(', ')}`
    say(`signing as ${signer.address} (${signer.kind})${where}`)
    const { unchecked, address } = signer
    if (unchecked)
      log.warn({ address, problem: unchecked.message }, 'public key of the signer not read; using signer.address')
  }
}

/** Opens the signer of each chain, by chain id. A signer of several chains is opened once. */
export async function openSigners(chains: readonly SigningChain[]): Promise<ReadonlyMap<number, Signer>> {
  const signers = new Map<number, Signer>()
  const uses = listSigners(chains)
  for (const { config, chains: users } of uses) {
    const ids = users.map(({ id }) => id)
    const signer = await openSigner(config).catch((error: unknown) => {
      throw uses.length > 1 ? withChains(error, ids) : error
    })
    for (const id of ids) signers.set(id, signer)
  }
  return signers
}

/** Returns a text that only equal settings have. It contains the secrets. */
function identify(config: SignerSettings): string {
  return JSON.stringify(config, (name, value) => {
    if (name === 'journal' || name === 'next') return undefined
    return typeof value?.reveal === 'function' ? value.reveal() : value
  })
}

function withChains(error: unknown, ids: readonly number[]): unknown {
  if (!(error instanceof TallystickError)) return error
  const { code, retryable, message } = error
  return new TallystickError({
    code,
    retryable,
    message: `Signer of chain ${ids.join(', ')}: ${message}`,
    cause: error,
  })
}
