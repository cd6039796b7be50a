import { ChainError, isLimitReason, type PoolState, type WiringResult } from '@tallystick/chain'
import { TallystickError } from '@tallystick/core'
import { findWiringFaults, signNote } from '@tallystick/issuer'
import type { Findings } from '../findings.ts'
import type { PoolCheckContext } from './chain-check-context.ts'

const advice =
  'Check the lines above for domain, signer and clock. If they are ok, the contract checks another message type than PriceFeed.'
const backSeconds = 3_600n
// Longer than a pool's limit could require.
const maturitySeconds = 3_650n * 86_400n

/**
 * Signs a note and validates it on the pool. A signed note cannot be recalled, so it is valid only in one second, an hour
 * before the chain's newest block. The call is simulated at that second, and no transaction can ever use the note.
 */
export async function checkFreshNote(
  findings: Findings,
  { context, reader, headSeconds }: PoolCheckContext,
): Promise<void> {
  const { chain, signer, notes } = context
  const name = 'fresh note'
  if (!signer) return findings.skip(name, 'no signer is available')
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
    const validation = await reader.validate([note], { atSeconds: second })
    if (validation.outcome === 'accepted') return findings.ok(name, 'validatePriceFeed accepts a newly signed note')
    if (validation.outcome === 'refused')
      return findings.fail(name, `validatePriceFeed refuses it: ${validation.refusals[0].message}`, advice)
    const instead = notes.length > 0 ? 'the current notes are validated instead' : 'only domain and signer are checked'
    const found = 'the RPC does not support a block time in eth_call, and no usable note is signed for a test'
    findings.skip(name, `${found}: ${instead}`)
  } catch (error) {
    if (!(error instanceof TallystickError)) throw error
    findings.fail(name, error.message, 'See the lines of the signer.')
  }
}

/** Validates the current notes on the pool. */
export async function checkOfferedNotes(
  findings: Findings,
  { context: { notes, nowSeconds }, reader }: Omit<PoolCheckContext, 'headSeconds'>,
): Promise<void> {
  const name = 'notes on offer'
  if (notes.length === 0) return findings.skip(name, 'there are none')
  const simulated = await reader.validate(notes, { atSeconds: nowSeconds })
  const validation = simulated.outcome === 'time_unsupported' ? await reader.validate(notes) : simulated
  if (validation.outcome === 'accepted') findings.ok(name, `the pool accepts all ${notes.length}`)
  else if (validation.outcome === 'refused') {
    const [{ message, reason }] = validation.refusals
    const found = `the pool refuses ${validation.refusals.length} of ${notes.length}: ${message}`
    findings.fail(name, found, isLimitReason(reason) ? 'See the lines about its limits above.' : advice)
  }
}

/** Checks by simulated calls that the pool and its tokens work together: a mint, a lend, and a claim of a mature position. */
export async function checkWiring(
  findings: Findings,
  { state, context, reader }: Omit<PoolCheckContext, 'headSeconds'> & { readonly state: PoolState },
): Promise<void> {
  const { chain, notes, nowSeconds } = context
  const principal = state.limits.minLendLimit || 1n
  const options = { note: notes.at(-1), principal, mature: await context.findMature(), atSeconds: nowSeconds }
  const wiring = await reader.checkWiring(options).catch((error: unknown) => {
    if (error instanceof ChainError) return error
    throw error
  })
  if (wiring instanceof ChainError) return findings.skip('roles and tokens', `not checked: ${wiring.message}`)
  for (const { message, remedy } of findWiringFaults(wiring, chain)) findings.fail('roles and tokens', message, remedy)
  report(findings, 'mint', wiring.mint)
  report(findings, 'lend', wiring.lend)
  report(findings, 'claim', wiring.claim)
}

/** A refused call is reported above, with its remedy. */
function report(findings: Findings, name: string, { outcome, message }: WiringResult): void {
  if (outcome === 'accepted') findings.ok(name, `simulated: ${message}`)
  else if (outcome === 'unknown') findings.skip(name, message)
}
