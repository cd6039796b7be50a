import {
  type ChainEarnings,
  type Client,
  type Earnings,
  fixedIncome,
  floatingAccumulator,
  floatingIncome,
  type Position,
} from '@tallystick/client'
import type { Address } from 'viem'
import type { PortalChain } from '../data/portal-info.ts'

/** Position with its income so far. */
export type Holding = Position & {
  readonly chain: PortalChain
  /** Income before the partner's fee. Undefined if claimed or if the floating incomes could not be read. */
  readonly accrued: { readonly fixed: bigint; readonly floating: bigint } | undefined
}

export type Wallet = {
  readonly address: Address
  /** Instant of the calculation, in Unix seconds. */
  readonly at: bigint
  /** Sum over all chains that responded. */
  readonly earnings: Earnings
  /** Active positions by maturity, then claimed ones, newest first. */
  readonly holdings: readonly Holding[]
  /** Chains that failed, and why. */
  readonly failures: readonly { readonly chain: number; readonly message: string }[]
}

/** Fetches the positions and earnings of an address on every chain. Fails only if all chains fail. */
export async function lookUpWallet(
  client: Client,
  {
    address,
    chains,
    at,
    signal,
  }: {
    readonly address: Address
    readonly chains: readonly PortalChain[]
    readonly at: bigint
    readonly signal: AbortSignal
  },
): Promise<Wallet> {
  const [positions, earnings, incomes] = await Promise.all([
    client.positions(address, { signal }),
    client.earnings(address, { at, signal }),
    client.floatingIncomes({ signal }),
  ])
  const holdings = positions.flatMap((answer) => {
    const chain = chains.find(({ id }) => id === answer.chain)
    const days = incomes.find(({ chain: id }) => id === answer.chain)?.days ?? undefined
    const accumulator = days && floatingAccumulator(days)
    return (answer.positions ?? []).flatMap((position): Holding[] => {
      if (!chain) return []
      const floating = accumulator && floatingIncome(position, { instantSeconds: at, ...accumulator })
      const hasIncome = position.status === 'Active' && floating !== undefined
      return [{ ...position, chain, accrued: hasIncome ? { fixed: fixedIncome(position, at), floating } : undefined }]
    })
  })
  const failures = [...positions, ...earnings].flatMap(({ chain, errors }) =>
    errors ? { chain, message: errors[0]?.message ?? 'No reason was given.' } : [],
  )
  return {
    address,
    at,
    earnings: sumEarnings(earnings, at),
    holdings: holdings.toSorted(compareHoldings),
    failures: failures.filter(({ chain }, index) => failures.findIndex((other) => other.chain === chain) === index),
  }
}

function sumEarnings(chains: readonly ChainEarnings[], at: bigint): Earnings {
  const known = chains.flatMap(({ earnings }) => earnings ?? [])
  const sum = (of: (earnings: Earnings) => bigint) => known.reduce((total, earnings) => total + of(earnings), 0n)
  return {
    claimed: {
      income: sum(({ claimed }) => claimed.income),
      fees: sum(({ claimed }) => claimed.fees),
      net: sum(({ claimed }) => claimed.net),
    },
    accrued: {
      fixed: sum(({ accrued }) => accrued.fixed),
      floating: sum(({ accrued }) => accrued.floating),
      fees: sum(({ accrued }) => accrued.fees),
      net: sum(({ accrued }) => accrued.net),
    },
    activePositions: known.reduce((total, { activePositions }) => total + activePositions, 0),
    activePrincipal: sum(({ activePrincipal }) => activePrincipal),
    totalPrincipal: sum(({ totalPrincipal }) => totalPrincipal),
    at,
  }
}

function compareHoldings(a: Holding, b: Holding): number {
  const isActive = ({ status }: Holding) => status === 'Active'
  if (isActive(a) !== isActive(b)) return isActive(a) ? -1 : 1
  return isActive(a) ? Number(a.maturityTimestamp - b.maturityTimestamp) : Number(b.tokenId - a.tokenId)
}
