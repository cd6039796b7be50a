/** Income of a matured position, in the dollar's smallest unit. */
export type MaturedIncome = { readonly fixed: bigint; readonly floating: bigint }

/** What a claim pays. */
export type Payment = {
  /** Income after the partner's fee. */
  readonly income: bigint
  /** The partner's share of the income. */
  readonly fee: bigint
  /** Principal and income. */
  readonly paid: bigint
}

/** Returns what a claim pays, with the contract's rounding: the fee is taken from the whole income and rounded down. */
export function expectedPayment(
  { principal, partnerFeeBPS }: { readonly principal: bigint; readonly partnerFeeBPS: bigint },
  { fixed, floating }: MaturedIncome,
): Payment {
  const total = fixed + floating
  const fee = (total * partnerFeeBPS) / 10_000n
  return { income: total - fee, fee, paid: principal + total - fee }
}
