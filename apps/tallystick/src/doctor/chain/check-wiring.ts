import { ChainError, type PoolState, type WiringResult } from '@tallystick/chain'
import { findWiringFaults } from '@tallystick/issuer'
import type { Findings } from '../findings.ts'
import type { PoolCheckContext } from './chain-check-context.ts'

/** Checks by simulated calls that the pool and its tokens work together: a mint, a lend, and a claim of a mature position. */
export async function checkWiring(
  findings: Findings,
  { state, context }: { readonly state: PoolState; readonly context: PoolCheckContext },
): Promise<void> {
  const { reader, chain, notes, nowSeconds } = context
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
