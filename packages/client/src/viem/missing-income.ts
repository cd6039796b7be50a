import { accFloatingIncome, lastFloatingIncomeUpdateDay } from '@tallystick/contracts/pool-functions'
import type { Address } from 'viem'
import { readContract } from 'viem/actions'
import { type ClaimTerms, claimability, type ReportedIncome, utcDayOf } from '../income/claimability.ts'
import { describeMissingIncome } from '../income/income-not-reported.ts'
import { positionAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import { TransactionError } from './transaction/transaction-error.ts'

/** Returns the last day whose floating income the pool has at the newest block. It never decreases. */
export function readLastReportedDay({ client, pool }: ActionContext): Promise<bigint> {
  const abi = [lastFloatingIncomeUpdateDay] as const
  return readContract(client, { address: pool, abi, functionName: 'lastFloatingIncomeUpdateDay' })
}

export type IncomeCheck = {
  /** The position token. */
  readonly positions: Address
  readonly tokenId: bigint
  readonly lastReportedDay: bigint
}

/** Returns the error of a claim that would lose income, or undefined if the pool has all of it. */
export async function findMissingIncome(
  context: ActionContext,
  { positions, tokenId, lastReportedDay }: IncomeCheck,
): Promise<TransactionError | undefined> {
  const reads = { address: positions, abi: positionAbi } as const
  const terms = await readContract(context.client, { ...reads, functionName: 'getLendInfo', args: [tokenId] })
  if (lastReportedDay >= utcDayOf(terms.maturityTimestamp)) return undefined
  const found = claimability(terms, await readReported(context, { terms, lastReportedDay }))
  return new TransactionError({ ...describeMissingIncome(tokenId, found), retryable: true })
}

/** Reads the sums that the income of an incomplete position depends on. */
async function readReported(
  { client, pool, chainTime }: ActionContext,
  { terms, lastReportedDay }: { readonly terms: ClaimTerms; readonly lastReportedDay: bigint },
): Promise<ReportedIncome> {
  const lendDay = utcDayOf(terms.lendTimestamp)
  const days = [lendDay - 1n, lendDay, lastReportedDay - 1n, lastReportedDay].filter(
    (day) => day >= 0n && day <= lastReportedDay,
  )
  const abi = [accFloatingIncome] as const
  const [now, ...sums] = await Promise.all([
    chainTime(),
    ...days.map((day) => readContract(client, { address: pool, abi, functionName: 'accFloatingIncome', args: [day] })),
  ])
  const sumOf = new Map(days.map((day, index) => [day, sums[index]]))
  return { now, lastUpdatedDay: lastReportedDay, accFloatingIncome: (day) => sumOf.get(day) ?? 0n }
}
