import type { ExpectedIncome } from '@tallystick/client'
import { formatDollars } from '@tallystick/ui'
import { formatCoins } from './network-fee.ts'
import type { Lender } from './use-lender.ts'

type WarningFacts = {
  readonly lender: Pick<Lender, 'kind' | 'coins' | 'mintMax'> | undefined
  /** Estimate of the network fee. Undefined while unknown. */
  readonly fee: bigint | undefined
  readonly income: Pick<ExpectedIncome, 'net' | 'fee'> | undefined
  readonly currency: string
}

/** Returns what a lender should know before a lend that is not refused. */
export function findWarnings({ lender, fee, income, currency }: WarningFacts): readonly string[] {
  if (!lender) return []
  const { kind, coins, mintMax } = lender
  const warnings: string[] = []
  // The transaction of a contract wallet is paid by who executes it.
  const paysFee = kind === 'key'
  if (paysFee && coins === 0n) warnings.push(`This account has no ${currency} to pay the network fee.`)
  else if (paysFee && fee !== undefined && coins < fee)
    warnings.push(`This account has ${formatCoins(coins)} ${currency}, which may not pay the network fee.`)
  if (income && mintMax !== undefined && (income.net > mintMax || income.fee > mintMax))
    warnings.push(
      `One claim pays at most $${formatDollars(mintMax)} of income now. This lend may earn more, and could then be claimed only after the operator of the dollar raises that limit.`,
    )
  return warnings
}
