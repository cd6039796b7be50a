/** Planned position. Wallets and partners are indexes of lists that are the same in every sandbox. */
export type PlannedPosition = {
  readonly tokenId: bigint
  readonly lender: number
  readonly beneficiary: number
  readonly partner: number | undefined
  readonly principal: bigint
  readonly tenorDays: number
}

export type LendStep = { readonly kind: 'lend'; readonly at: bigint; readonly positions: readonly PlannedPosition[] }

export type TransferStep = {
  readonly kind: 'transfer'
  readonly at: bigint
  readonly transfers: readonly { readonly tokenId: bigint; readonly from: number; readonly to: number }[]
}

export type ClaimStep = {
  readonly kind: 'claim'
  readonly at: bigint
  readonly claims: readonly { readonly tokenId: bigint; readonly owner: number }[]
}

/** Income of yesterday, or of several days if some were missed. */
export type IncomeStep = {
  readonly kind: 'income'
  readonly at: bigint
  readonly firstDay: bigint
  readonly incomes: readonly bigint[]
}

export type PauseStep = { readonly kind: 'pause' | 'unpause'; readonly at: bigint }

/** Transactions of one block. `at` is its second. */
export type Step = LendStep | TransferStep | ClaimStep | IncomeStep | PauseStep

export type History = {
  /** Second of the first block, the start of a UTC day. */
  readonly startsAt: bigint
  /** Ordered by second. No two steps have the same second. */
  readonly steps: readonly Step[]
}

export const daySeconds = 86_400n
export const historyDays = 60
export const lenderCount = 8
export const partnerFeesBps = [500n, 1_000n, 2_000n] as const
