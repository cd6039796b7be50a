import { periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { issuePastPeriod, type Signer } from '@tallystick/issuer'
import { type Config, createOperator } from '@tallystick/service'
import { couponOf } from './coupons.ts'

/**
 * Issues the notes of the previous period, with the coupons of the seeded history, so that the current coupons can be
 * compared with them.
 */
export async function issueLastPeriod(
  database: Database,
  { config, signer, nowSeconds }: { readonly config: Config; readonly signer: Signer; readonly nowSeconds: bigint },
): Promise<void> {
  const current = periodAt(nowSeconds)
  const period = periodAt(current.start - 1n)
  const clock = { now: () => Number(current.start - 1n) * 1000 }
  const daysAgo = period.noteDay === current.noteDay ? 0 : 1
  const points = Object.fromEntries(config.tenors.map((tenorDays) => [tenorDays, couponOf({ tenorDays, daysAgo })]))
  await createOperator({ database, config, clock }).setCurve({ points, confirm: true, by: 'sandbox' })
  const { rails, chains } = config
  const issueContext = { database, clock, signer, maxMoveBps: rails.maxMoveBps }
  for (const chain of chains) await issuePastPeriod(issueContext, { chain, period })
}
