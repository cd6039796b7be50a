import { existsSync } from 'node:fs'
import type { Clock } from '@tallystick/base'
import { periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { issuePastPeriods, type PastPeriod, type Signer, storePastCurves } from '@tallystick/issuer'
import { type Config, createOperator } from '@tallystick/service'
import { type Home, readText, writeSecret } from '../home/home.ts'
import { couponOf, currentCoupons, planPastPeriods } from '../seed/coupons.ts'

type PrepareOptions = { readonly home: Home; readonly config: Config; readonly clock: Clock; readonly signer: Signer }

/**
 * Creates an API key, a curve for the current period and the curves of past weeks if they are missing. Returns the key and
 * the periods of a new history whose notes are still to be issued.
 */
export async function prepareDatabase(
  database: Database,
  { home, config, clock, signer }: PrepareOptions,
): Promise<{ readonly apiKey: string; readonly past: readonly PastPeriod[] }> {
  const operator = createOperator({ database, config, clock })
  const { chains, history } = await operator.showCurve()
  const nowSeconds = BigInt(Math.floor(clock.now() / 1000))
  const past = history.length === 0 ? planPastPeriods({ tenors: config.tenors, nowSeconds }) : []
  if (history.length === 0) {
    await storePastCurves(database, past)
    await issueLastPeriod(database, { config, signer, nowSeconds })
  }
  if (chains.some(({ current }) => !current.signed)) {
    await operator.setCurve({ points: currentCoupons, confirm: true, by: 'sandbox' })
  }
  return { apiKey: await ensureKey(home, operator), past }
}

/** Returns the key of the last run if it is active, else a new one. */
async function ensureKey(home: Home, operator: ReturnType<typeof createOperator>): Promise<string> {
  const known = existsSync(home.apiKey)
    ? (JSON.parse(readText(home.apiKey)) as { id: string; secret: string })
    : undefined
  const { keys } = await operator.listKeys()
  if (known && keys.some(({ id, status }) => id === known.id && status === 'active')) return known.secret
  const { key, secret } = await operator.createKey({ name: 'sandbox', kind: 'test', rpm: null })
  writeSecret(home.apiKey, JSON.stringify({ id: key.id, secret }))
  return secret
}

/**
 * Issues the notes of the previous period, with the coupons of the seeded history, so that the current coupons can be
 * compared with them.
 */
async function issueLastPeriod(
  database: Database,
  { config, signer, nowSeconds }: { readonly config: Config; readonly signer: Signer; readonly nowSeconds: bigint },
): Promise<void> {
  const current = periodAt(nowSeconds)
  const period = periodAt(current.start - 1n)
  const clock = { now: () => Number(current.start - 1n) * 1000 }
  const daysAgo = period.noteDay === current.noteDay ? 0 : 1
  const points = Object.fromEntries(config.tenors.map((tenorDays) => [tenorDays, couponOf({ tenorDays, daysAgo })]))
  await createOperator({ database, config, clock }).setCurve({ points, confirm: true, by: 'sandbox' })
  await issuePastPeriods({ database, signer }, { chains: config.chains, past: [{ period, points }] })
}
