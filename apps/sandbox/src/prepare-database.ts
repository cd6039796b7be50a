import { existsSync } from 'node:fs'
import type { Clock } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { type PastPeriod, type Signer, storePastCurves } from '@tallystick/issuer'
import { type Config, createOperator } from '@tallystick/service'
import { type Home, readText, writeSecret } from './home.ts'
import { currentCoupons } from './seed/coupons.ts'
import { issueLastPeriod } from './seed/issue-last-period.ts'
import { planPastPeriods } from './seed/plan-past-periods.ts'

export type PreparedDatabase = {
  readonly apiKey: string
  /** Periods of a new history whose curves are stored and whose notes are still to be issued. */
  readonly past: readonly PastPeriod[]
}

/** Creates an API key, a curve for the current period and the curves of past weeks if they are missing. */
export async function prepareDatabase(
  database: Database,
  {
    home,
    config,
    clock,
    signer,
  }: { readonly home: Home; readonly config: Config; readonly clock: Clock; readonly signer: Signer },
): Promise<PreparedDatabase> {
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
