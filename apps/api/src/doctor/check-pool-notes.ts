import { TallystickError } from '@tallystick/core'
import { signNote } from '../notes/signers/sign-note.ts'
import type { PoolCheckContext } from './chain-check-context.ts'
import type { Findings } from './findings.ts'

const advice =
  'The lines above tell which of domain, signer and clock is the cause; if none does, the message the contract checks is another than the PriceFeed that is signed here.'
const backSeconds = 3_600n
const maturitySeconds = 30n * 86_400n

/**
 * Signs a note and shows it to the pool. What is signed cannot be recalled, so the note's only second lies an hour before
 * the chain's newest block: the pool is asked what it would have said then, and no transaction can ever use it.
 */
export async function checkFreshNote(
  findings: Findings,
  { chain, signer, reader, headSeconds, notes }: PoolCheckContext,
): Promise<void> {
  const name = 'fresh note'
  if (!signer) return findings.skip(name, 'there is no signer to sign one')
  const second = headSeconds - backSeconds
  const terms = {
    chainId: chain.id,
    maturityTimestamp: second + maturitySeconds,
    coupon: 1n,
    startedAt: second,
    validAfter: second - 1n,
    validBefore: second + 1n,
  }
  try {
    const note = await signNote(signer, { terms, domain: chain.domain })
    const verdict = await reader.validate([note], { atSeconds: second })
    if (verdict.outcome === 'accepted') return findings.ok(name, 'validatePriceFeed takes a note signed just now')
    if (verdict.outcome === 'refused')
      return findings.fail(name, `validatePriceFeed refuses it: ${verdict.message}`, advice)
    const instead = notes.length > 0 ? 'the notes on offer are shown instead' : 'domain and signer above have to do'
    findings.skip(
      name,
      `the RPC takes no block time with eth_call, and nothing usable is signed for a test: ${instead}`,
    )
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    findings.fail(name, error.message, 'See the signer’s lines.')
  }
}

/** Shows the pool what callers get now. */
export async function checkOfferedNotes(
  findings: Findings,
  { notes, reader, nowSeconds }: PoolCheckContext,
): Promise<void> {
  const name = 'notes on offer'
  if (notes.length === 0) return findings.skip(name, 'there are none to show to the pool')
  const asked = await reader.validate(notes, { atSeconds: nowSeconds })
  const verdict = asked.outcome === 'time_unsupported' ? await reader.validate(notes) : asked
  if (verdict.outcome === 'accepted') findings.ok(name, `validatePriceFeed takes all ${notes.length} of them`)
  else if (verdict.outcome === 'refused')
    findings.fail(name, `validatePriceFeed refuses them: ${verdict.message}`, advice)
}
