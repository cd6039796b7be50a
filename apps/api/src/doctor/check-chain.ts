import { createPoolReader } from '@tallystick/chain'
import { maturityOf } from '@tallystick/core'
import type { ChainConfig } from '../config.ts'
import type { ChainCheckContext } from './chain-check-context.ts'
import { checkPool } from './check-pool.ts'
import type { Findings } from './findings.ts'
import { newestHead, type RpcHead } from './read-heads.ts'

/** The way to a chain, and the pool at its end. */
export async function checkChain(findings: Findings, context: ChainCheckContext): Promise<void> {
  const { chain, heads } = context
  checkTenors(findings, context)
  if (chain.rpc.length === 0) {
    const found = 'none is configured: neither the clock nor the notes are checked against the chain'
    return findings.warn('rpc', found, 'Give chains[].rpc at least one URL.')
  }
  const head = newestHead(heads, chain.id)
  for (const one of heads) checkRpc(findings, { head: one, chain, hasOther: head !== undefined })
  if (!head) return findings.skip('pool', 'no RPC of this chain can be asked about it')
  const usable = heads.flatMap((one) => ('chainId' in one && one.chainId === chain.id ? [one.url] : []))
  const reader = createPoolReader({ chainId: chain.id, rpcUrls: usable, pool: chain.domain.verifyingContract })
  try {
    await checkPool(findings, { ...context, reader, headSeconds: head.timestamp })
  } finally {
    reader.close()
  }
}

/** A tenor that the maturity rail refuses takes the whole set with it. */
function checkTenors(findings: Findings, { chain, tenors, periods }: ChainCheckContext): void {
  const [shortest = 0] = tenors
  const remaining = periods.map(({ noteDay, end }) => maturityOf({ noteDay, tenorDays: shortest }) - end)
  const least = remaining.reduce((a, b) => (a < b ? a : b))
  const found = `the shortest, ${shortest} days, matures ${least} s after its period at the least; wanted are ${chain.minMaturitySeconds}`
  if (least >= BigInt(chain.minMaturitySeconds)) findings.ok('tenors', found)
  else findings.fail('tenors', `${found}: no notes are signed`, `Take ${shortest} out of "tenors".`)
}

function checkRpc(
  findings: Findings,
  { head, chain, hasOther }: { readonly head: RpcHead; readonly chain: ChainConfig; readonly hasOther: boolean },
): void {
  const name = `rpc ${head.label}`
  if ('problem' in head) {
    const advice = 'See that it runs and that its URL in chains[].rpc is right.'
    if (hasOther) findings.warn(name, `it ${head.problem}`, `${advice} The chain's other RPCs are asked instead.`)
    else findings.fail(name, `it ${head.problem}`, advice)
  } else if (head.chainId !== chain.id) {
    const found = `it is of chain ${head.chainId}, the configuration says ${chain.id}: it is not used`
    findings.fail(name, found, 'Correct its URL in chains[].rpc, or chains[].id.')
  } else {
    findings.ok(name, `chain ${head.chainId}, block ${head.number}, answers in ${head.roundTripMs} ms`)
  }
}
