import {
  type Claimability,
  type Client,
  claimability,
  fixedIncome,
  floatingAccumulator,
  floatingIncome,
  type Position,
} from '@tallystick/client'
import type { FloatingAccumulator, PortalChain } from '@tallystick/core'
import type { Address } from 'viem'
import { type Claim, fetchClaims } from './fetch-claims.ts'
import {
  amountsOfActive,
  amountsOfClaimed,
  type HoldingAmounts,
  sumHoldings,
  type WalletAmounts,
} from './holding-amounts.ts'

/** Position with its income. */
export type Holding = Position & {
  readonly chain: PortalChain
  /** At the instant of the lookup. */
  readonly state: 'lent' | 'matured' | 'claimed'
  readonly amounts: HoldingAmounts
  /** Undefined if not claimed, or if it could not be read. */
  readonly claim?: Claim | undefined
  /** Whether a claim pays all income. Undefined if claimed, or if the floating incomes could not be read. */
  readonly claimability?: Claimability | undefined
  /** Instant of the lookup, in Unix seconds. */
  readonly at: bigint
}

export type Wallet = {
  readonly address: Address
  /** Instant of the calculation, in Unix seconds. */
  readonly at: bigint
  /** Sums over all chains that responded. */
  readonly amounts: WalletAmounts
  /** Positions that can be claimed, then others that are held by maturity, then claimed ones, newest first. */
  readonly holdings: readonly Holding[]
  /** Chains that failed, and why. */
  readonly failures: readonly { readonly chain: number; readonly message: string }[]
  /** Floating incomes of the chains that responded, by chain id. */
  readonly accumulators: ReadonlyMap<number, FloatingAccumulator>
  /** Chains whose index is known to be incomplete: positions may be missing. */
  readonly incompleteChains: readonly number[]
}

type LookUpOptions = Pick<Wallet, 'address' | 'at'> & {
  readonly chains: readonly PortalChain[]
  readonly signal: AbortSignal
}

/** Fetches the positions and income of an address on every chain. Fails only if all chains fail. */
export async function lookUpWallet(client: Client, { address, chains, at, signal }: LookUpOptions): Promise<Wallet> {
  const [positions, incomes, claims] = await Promise.all([
    client.positions(address, { signal }),
    client.floatingIncomes({ signal }),
    Promise.all(
      chains.map(
        async ({ id, hasData }) =>
          [id, hasData ? await fetchClaims(client, { address, chain: id, signal }) : undefined] as const,
      ),
    ),
  ])
  const accumulators = new Map(
    incomes.flatMap(({ chain, days }) => (days ? [[chain, floatingAccumulator(days)] as const] : [])),
  )
  const holdings = positions.flatMap((answer) => {
    const chain = chains.find(({ id }) => id === answer.chain)
    const accumulator = accumulators.get(answer.chain)
    const claimOf = claims.find(([id]) => id === answer.chain)?.[1]
    return (answer.positions ?? []).flatMap((position): Holding[] => {
      if (!chain) return []
      const claim = claimOf?.get(position.tokenId)
      const { principal } = position
      if (claim || position.status !== 'Active') {
        return [{ ...position, chain, at, state: 'claimed', amounts: amountsOfClaimed(principal, claim), claim }]
      }
      const accrued = accumulator && {
        fixed: fixedIncome(position, at),
        floating: floatingIncome(position, { instantSeconds: at, ...accumulator }),
      }
      const state = position.maturityTimestamp <= at ? 'matured' : 'lent'
      const found = accumulator && claimability(position, { ...accumulator, now: at })
      const amounts = amountsOfActive(position, accrued)
      return [{ ...position, chain, at, state, claimability: found, amounts }]
    })
  })
  const failures = [...positions, ...incomes].flatMap(({ chain, errors }) =>
    errors ? { chain, message: errors[0]?.message ?? 'No reason was given.' } : [],
  )
  return {
    address,
    at,
    amounts: sumHoldings(holdings.map(({ state, amounts }) => ({ isClaimed: state === 'claimed', amounts }))),
    holdings: holdings.toSorted(compareHoldings),
    accumulators,
    incompleteChains: positions.flatMap((answer) => (!answer.errors && answer.hasErrors ? answer.chain : [])),
    failures: failures.filter(({ chain }, index) => failures.findIndex((other) => other.chain === chain) === index),
  }
}

function compareHoldings(a: Holding, b: Holding): number {
  const isClaimed = ({ state }: Holding) => state === 'claimed'
  if (isClaimed(a) !== isClaimed(b)) return isClaimed(a) ? 1 : -1
  return isClaimed(a) ? Number(b.tokenId - a.tokenId) : Number(a.maturityTimestamp - b.maturityTimestamp)
}
