import { partnerFee } from '@tallystick/core'
import { type Amount, negate, splitCents, sumAmounts } from '@tallystick/ui'
import type { Claim } from './fetch-claims.ts'

/** Income of a position, before and after the partner's fee. */
type IncomeAmounts = {
  readonly fixed: Amount
  readonly floating: Amount
  readonly fee: Amount
  readonly net: Amount
}

/** Amounts of a position as they are shown. They add up in its row, and with those of other positions. */
export type HoldingAmounts = {
  readonly principal: Amount
  /** Income so far. Undefined if claimed, or if the floating incomes could not be read. */
  readonly income?: IncomeAmounts | undefined
  /** Income that the claim paid after the fee. Undefined if not claimed, or if it could not be read. */
  readonly paidIncome?: Amount | undefined
  /** Principal and income after the fee: what a claim paid, or would pay now. To the cent what the contract pays. */
  readonly payout?: Amount | undefined
}

export type WalletAmounts = {
  readonly lent: Amount
  readonly accrued: IncomeAmounts
  /** Income of claimed positions, after fees. */
  readonly claimed: Amount
}

/** Returns the amounts of a position that is not claimed. */
export function amountsOfActive(
  { principal, partnerFeeBPS }: { readonly principal: bigint; readonly partnerFeeBPS: bigint },
  accrued: { readonly fixed: bigint; readonly floating: bigint } | undefined,
): HoldingAmounts {
  if (!accrued) return { principal: onlyPart(principal) }
  const fee = partnerFee({ totalIncome: accrued.fixed + accrued.floating, partnerFeeBps: partnerFeeBPS })
  const parts = splitCents([principal, accrued.fixed, accrued.floating, -fee]) as [Amount, Amount, Amount, Amount]
  const [shownPrincipal, fixed, floating, deducted] = parts
  return {
    principal: shownPrincipal,
    income: { fixed, floating, fee: negate(deducted), net: sumAmounts([fixed, floating, deducted]) },
    payout: sumAmounts(parts),
  }
}

/** Returns the amounts of a claimed position. `claim` is undefined if it could not be read. */
export function amountsOfClaimed(
  principal: bigint,
  claim: Pick<Claim, 'totalIncome' | 'fee'> | undefined,
): HoldingAmounts {
  if (!claim) return { principal: onlyPart(principal) }
  const parts = splitCents([principal, claim.totalIncome - claim.fee]) as [Amount, Amount]
  return { principal: parts[0], paidIncome: parts[1], payout: sumAmounts(parts) }
}

/** Returns the totals of a wallet: each is the sum of what its positions show. */
export function sumHoldings(
  holdings: readonly { readonly isClaimed: boolean; readonly amounts: HoldingAmounts }[],
): WalletAmounts {
  const incomes = holdings.flatMap(({ amounts }) => amounts.income ?? [])
  const sum = (name: keyof IncomeAmounts) => sumAmounts(incomes.map((income) => income[name]))
  return {
    lent: sumAmounts(holdings.filter(({ isClaimed }) => !isClaimed).map(({ amounts }) => amounts.principal)),
    accrued: { fixed: sum('fixed'), floating: sum('floating'), fee: sum('fee'), net: sum('net') },
    claimed: sumAmounts(holdings.flatMap(({ amounts }) => amounts.paidIncome ?? [])),
  }
}

function onlyPart(amount: bigint): Amount {
  return splitCents([amount])[0] as Amount
}
