import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import type { SoakChain } from '../environment/chain.ts'
import { type Position, readChainPositions, readServedPositions } from '../judges/positions.ts'
import { type FaultKind, type InjectedFault, replicaNames } from './fault.ts'
import type { Injector } from './injector.ts'

/** Time in which an index must be complete after its endpoint recovered. It notices within a minute and then reads again. */
const recoveryMs = 90_000
const pollMs = 2_000

// While one of these is active, an index need not be readable or get further.
const hindering: ReadonlySet<FaultKind> = new Set([
  'replica-kill',
  'postgres-stop',
  'postgres-stall',
  'database-restore',
  'rpc-outage',
  'rpc-drip',
  'rpc-drops-logs',
  'rpc-changes-chain',
  'upstream-hang',
  'upstream-500',
  'upstream-garbage',
  'upstream-drip',
  'disk-full',
  'fd-pressure',
])

/** Checks that both replicas have all positions of each chain within a time without other faults. */
export async function watchRecovery(injector: Injector): Promise<void> {
  await Promise.all(injector.environment.chains.map((chain) => watchChain(injector, chain)))
}

async function watchChain(injector: Injector, chain: SoakChain): Promise<void> {
  const { environment, onViolation, isStopped, faults } = injector
  const agent = new Agent({ ca: environment.authority.cert })
  const knownIds = (await readChainPositions(chain)).length
  const findMissing = async () => {
    const onChain = (await readChainPositions(chain)).slice(0, knownIds)
    for (const name of replicaNames) {
      const { baseUrl } = environment.replicas[name]
      const key = environment.keys[0] as string
      const served = await readServedPositions({ baseUrl, chainId: chain.id, key, agent })
      const missing = findUnserved(served, { onChain })
      if (missing) return `replica ${name}: ${missing}`
    }
    return undefined
  }
  let calmMs = 0
  for (;;) {
    const fromMs = Date.now()
    const missing = await findMissing().catch((error: Error) => error.message)
    if (missing === undefined || isStopped()) break
    if (calmMs > recoveryMs) {
      onViolation(`chain ${chain.id}, ${recoveryMs / 1000} s after its RPC recovered, on ${missing}`)
      break
    }
    await setTimeout(pollMs)
    if (!faults().some(isHindering)) calmMs += Date.now() - fromMs
  }
  agent.destroy()
}

function isHindering({ kind, endedMs, skipped }: InjectedFault): boolean {
  return endedMs === undefined && skipped === undefined && hindering.has(kind)
}

/** Describes the first position that is not served with the transaction that lent it. */
export function findUnserved(
  served: readonly Position[],
  { onChain }: { readonly onChain: readonly Position[] },
): string | undefined {
  const lends = new Map(served.map((position) => [position['tokenId'], position['lendTransactionHash']]))
  const wrong = onChain.find(({ tokenId, lendTransactionHash }) => lends.get(tokenId ?? '') !== lendTransactionHash)
  return (
    wrong && `position ${wrong['tokenId']} ${lends.has(wrong['tokenId'] ?? '') ? 'is of another lend' : 'is missing'}`
  )
}
