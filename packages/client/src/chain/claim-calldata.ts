import { batchClaim, claim, permitClaim } from '@tallystick/contracts/pool-functions'
import { type Address, encodeFunctionData } from 'viem'
import { InvalidRequestError } from '../errors.ts'
import { type ClaimTerms, claimability, type ReportedIncome } from '../income/claimability.ts'
import { describeMissingIncome, IncomeNotReportedError } from '../income/income-not-reported.ts'
import { type Permit, splitPermit } from './permit-typed-data.ts'
import type { Call } from './simulate-call.ts'

/**
 * Terms of the position to claim and the floating income that the pool has reported, so that a claim that loses income is
 * not built; or the consent to lose it.
 */
export type ClaimCondition =
  | (ClaimTerms & { readonly reported: ReportedIncome; readonly acceptMissingIncome?: boolean | undefined })
  | {
      /** The claim may come before the day of the maturity is reported. The missing income is then lost for good. */
      readonly acceptMissingIncome: true
    }

/** Receiver of a claim, and the position. */
export type ClaimTarget = {
  /** Receiver of the payment. */
  readonly beneficiary: Address
  readonly tokenId: bigint
}

/** Claim of one position. Its holder can send it from maturity on. It is complete about a day later. */
export type ClaimOptions = ClaimTarget & { readonly pool: Address } & ClaimCondition

/**
 * Returns the transaction that claims a matured position. The holder must first approve the position for the pool;
 * `permitClaimCalldata` needs no approval. Throws an `IncomeNotReportedError` if the claim would lose income.
 *
 * @example
 * const [[held], [incomes]] = await Promise.all([client.positions(wallet), client.floatingIncomes()])
 * const position = held!.positions![0]!
 * const reported = { ...floatingAccumulator(incomes!.days!), now: 1793505600n }
 * const call = claimCalldata({ ...position, pool, beneficiary: wallet, reported })
 * call.data.slice(0, 10) // => '0xaad3ec96'
 */
export function claimCalldata(options: ClaimOptions): Call {
  assertComplete(options)
  const { pool, beneficiary, tokenId } = options
  const data = encodeFunctionData({ abi: [claim], args: [beneficiary, tokenId] })
  return { to: pool, data, value: 0n }
}

/**
 * Returns the transaction that claims with a permit instead of an approval. Sign the result of `permitClaimTypedData`. The
 * holder must send the transaction. Throws an `IncomeNotReportedError` if the claim would lose income.
 *
 * @example
 * import { privateKeyToAccount } from 'viem/accounts'
 * const account = privateKeyToAccount(`0x${'02'.repeat(32)}`)
 * const [[held], [incomes]] = await Promise.all([client.positions(wallet), client.floatingIncomes()])
 * const reported = { ...floatingAccumulator(incomes!.days!), now: 1793505600n }
 * const claim = { ...held!.positions![0]!, pool, beneficiary: account.address, reported }
 * const token = { address: positions, name: 'Position', version: '1' }
 * const deadline = 1739401200n
 * const typedData = permitClaimTypedData({ ...claim, positions: token, chainId: 324, nonce: 1n, deadline })
 * const signature = await account.signTypedData(typedData)
 * const call = permitClaimCalldata({ ...claim, permit: { signature, deadline } })
 * call.data.slice(0, 10) // => '0x9d2d3586'
 */
export function permitClaimCalldata(options: ClaimOptions & { readonly permit: Permit }): Call {
  assertComplete(options)
  const { pool, beneficiary, tokenId, permit } = options
  const args = [beneficiary, tokenId, splitPermit(permit.signature), permit.deadline] as const
  return { to: pool, data: encodeFunctionData({ abi: [permitClaim], args }), value: 0n }
}

/** Claims of several positions in one transaction. With `reported`, each claim has the terms of its position. */
export type BatchClaimOptions = { readonly pool: Address } & (
  | {
      readonly claims: readonly (ClaimTarget & ClaimTerms)[]
      readonly reported: ReportedIncome
      readonly acceptMissingIncome?: boolean | undefined
    }
  | { readonly claims: readonly ClaimTarget[]; readonly acceptMissingIncome: true }
)

/**
 * Returns the transaction that claims several matured positions. If one is rejected, none is claimed. Throws an
 * `IncomeNotReportedError` if one of them would lose income.
 *
 * @example
 * const [[held], [incomes]] = await Promise.all([client.positions(wallet), client.floatingIncomes()])
 * const claims = held!.positions!.map((position) => ({ ...position, beneficiary: wallet }))
 * const reported = { ...floatingAccumulator(incomes!.days!), now: 1793505600n }
 * batchClaimCalldata({ pool, claims, reported }).data.slice(0, 10) // => '0x79f67c5a'
 */
export function batchClaimCalldata(options: BatchClaimOptions): Call {
  const { pool, claims, ...condition } = options
  for (const claim of claims) assertComplete({ ...claim, ...condition } as ClaimTarget & ClaimCondition)
  const args = [claims.map(({ beneficiary }) => beneficiary), claims.map(({ tokenId }) => tokenId)] as const
  return { to: pool, data: encodeFunctionData({ abi: [batchClaim], args }), value: 0n }
}

function assertComplete(claim: ClaimTarget & ClaimCondition): void {
  if (claim.acceptMissingIncome === true) return
  // Programs without types called these functions without `reported` before it existed.
  if (!('reported' in claim) || claim.reported === undefined) {
    const message = `Position ${claim.tokenId}: pass its terms and \`reported\`, or \`acceptMissingIncome: true\`. A claim before the day of its maturity is reported loses income for good.`
    throw new InvalidRequestError({ code: 'invalid_request', message })
  }
  const found = claimability(claim, claim.reported)
  if (found.status !== 'complete') throw new IncomeNotReportedError(describeMissingIncome(claim.tokenId, found))
}
