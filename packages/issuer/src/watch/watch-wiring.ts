import { ChainError, type PoolReader, type PoolWiring } from '@tallystick/chain'
import { isAddressEqual } from 'viem'
import type { NoteSet } from '../note-set.ts'
import type { IssuerChain } from '../settings.ts'
import type { PoolFinding } from './find-pool-problems.ts'
import type { KnownPool } from './pool-source.ts'

/** Returns mature positions of a chain that are not claimed, or none if no index has them. Never throws. */
export type FindMaturePositions = (chainId: number, nowSeconds: bigint) => Promise<readonly bigint[]>

export type WiringFaults = {
  readonly faults: readonly PoolFinding[]
  /** Whether they were found by this call. Otherwise they are those of an earlier one. */
  readonly isFresh: boolean
}

// With the default interval of the pool watch, once a minute.
const checksPerRun = 4

/**
 * Creates a function that checks the roles and tokens of a pool, at the first call, at every fourth one, and at every one
 * while there are faults.
 */
export function createWiringWatch(
  chain: Pick<IssuerChain, 'id' | 'dollar' | 'subgraph' | 'domain'>,
  {
    reader,
    findMature,
  }: {
    /** Undefined if the chain has no RPC. */
    readonly reader: Pick<PoolReader, 'checkWiring'> | undefined
    readonly findMature: FindMaturePositions
  },
): (now: {
  readonly set: NoteSet | undefined
  readonly state: KnownPool
  readonly nowSeconds: bigint
  readonly signal: AbortSignal
}) => Promise<WiringFaults> {
  let faults: readonly PoolFinding[] = []
  let checksToRun = 0
  return async ({ set, state, nowSeconds, signal }) => {
    if (!reader || (faults.length === 0 && checksToRun-- > 0)) return { faults, isFresh: false }
    checksToRun = checksPerRun - 1
    const principal = state.limits.minLendLimit || 1n
    try {
      const mature = await findMature(chain.id, nowSeconds)
      const wiring = await reader.checkWiring(
        { note: set?.notes.at(-1), principal, mature, atSeconds: nowSeconds },
        signal,
      )
      faults = findWiringFaults(wiring, chain)
      return { faults, isFresh: true }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return { faults, isFresh: false }
    }
  }
}

/** Returns what is wrong with the roles and tokens of a pool. Simulations without a result accuse nobody. Pure. */
export function findWiringFaults(
  { positionToken, dollar, mint, lend, claim }: PoolWiring,
  { dollar: configuredDollar, subgraph, domain }: Pick<IssuerChain, 'dollar' | 'subgraph' | 'domain'>,
): readonly PoolFinding[] {
  const pool = domain.verifyingContract
  const positions = subgraph?.embedded?.positions
  const faults: PoolFinding[] = []
  const compare = (name: string, [option, configured, named]: readonly [string, typeof dollar, typeof dollar]) => {
    if (!configured || !named || isAddressEqual(configured, named)) return
    faults.push({
      message: `the pool’s ${name} is ${named}, but ${option} is ${configured}`,
      remedy: `Correct ${option}, or find out who changed the pool.`,
      clause: `the pool’s ${name} is not the configured one`,
    })
  }
  compare('dollar', ['chains[].dollar', configuredDollar, dollar])
  compare('position token', ['chains[].subgraph.embedded.positions', positions, positionToken])
  if (mint.outcome === 'refused') {
    faults.push({
      message: `the pool may not mint the dollar, so claims fail: ${mint.message}`,
      remedy: `Call grantRole(MINTER_ROLE, ${pool}) on the dollar ${dollar} from its admin role.`,
      clause: 'the pool may not mint the dollar, so it cannot pay claims',
    })
  }
  if (lend.outcome === 'refused') {
    faults.push({
      message: `the position token does not accept the pool: ${lend.message}`,
      remedy: `Call setReserveStabilityPool(${pool}) on the position token ${positionToken} from its admin role.`,
      clause: 'the position token does not accept the pool, so loans fail',
    })
  } else if (claim.outcome === 'refused' && mint.outcome !== 'refused') {
    faults.push({
      message: `the pool cannot pay claims: ${claim.message}`,
      remedy: `Give the pool ${pool} the missing role on the dollar ${dollar} or the position token ${positionToken}.`,
      clause: 'the pool cannot pay claims',
    })
  }
  return faults
}
