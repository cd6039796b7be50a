import { countOf } from '@tallystick/base/pure'
import { createPoolReader } from '@tallystick/chain'
import type { ChainConfig } from '@tallystick/service'
import type { Findings } from '../findings.ts'
import { type ChainCheckContext, leastSecondsToMaturity } from './chain-check-context.ts'
import { checkPool } from './check-pool.ts'
import { newestHead, type RpcHead } from './read-heads.ts'

/** Checks a chain's tenors, RPCs and pool. */
export async function checkChain(findings: Findings, context: ChainCheckContext): Promise<void> {
  const { chain, heads } = context
  checkTenors(findings, context)
  if (chain.rpc.length === 0) {
    const found = 'no RPC is configured: clock and notes are not checked against the chain'
    return findings.warn('rpc', found, 'Set at least one URL in chains[].rpc.')
  }
  const head = newestHead(heads, chain.id)
  for (const rpcHead of heads) checkRpc(findings, { head: rpcHead, chain, hasOther: head !== undefined })
  if (!head) return findings.skip('pool', 'no RPC of this chain answers')
  const usable = heads.flatMap((rpc) => ('chainId' in rpc && rpc.chainId === chain.id ? [rpc.url] : []))
  const reader = createPoolReader({ chainId: chain.id, rpcUrls: usable, pool: chain.domain.verifyingContract })
  try {
    await checkPool(findings, { context, reader, headSeconds: head.timestamp })
  } finally {
    reader.close()
  }
}

/** Checks the shortest tenor: if the maturity rail refuses one note, no note of the set is signed. */
function checkTenors(findings: Findings, { chain, tenors, periods }: ChainCheckContext): void {
  const [shortest = 0] = tenors
  const least = leastSecondsToMaturity({ tenors, periods })
  const found = `the shortest, ${countOf(shortest, 'day')}, matures at least ${least} s after its period; required are ${chain.minMaturitySeconds} s`
  if (least >= BigInt(chain.minMaturitySeconds)) findings.ok('tenors', found)
  else findings.fail('tenors', `${found}: no notes are signed`, `Remove ${shortest} from "tenors".`)
}

function checkRpc(
  findings: Findings,
  { head, chain, hasOther }: { readonly head: RpcHead; readonly chain: ChainConfig; readonly hasOther: boolean },
): void {
  const name = `rpc ${head.label}`
  if ('problem' in head) {
    const advice = 'Check that it runs and that its URL in chains[].rpc is correct.'
    if (hasOther) findings.warn(name, `it ${head.problem}`, `${advice} The chain's other RPCs are used instead.`)
    else findings.fail(name, `it ${head.problem}`, advice)
  } else if (head.chainId !== chain.id) {
    const found = `it serves chain ${head.chainId}, but the configuration says ${chain.id}: it is not used`
    findings.fail(name, found, 'Correct its URL in chains[].rpc, or chains[].id.')
  } else {
    findings.ok(name, `chain ${head.chainId}, block ${head.number}, answers in ${head.roundTripMs} ms`)
  }
}
