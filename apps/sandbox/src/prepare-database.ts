import { existsSync } from 'node:fs'
import { type Clock, type Config, createOperator, type Signer } from '@tallystick/api'
import type { Database } from '@tallystick/database'
import { type Home, readText, writeSecret } from './home.ts'
import { currentCoupons } from './seed/coupons.ts'
import { issueLastPeriod } from './seed/issue-last-period.ts'

/** Creates an API key and a curve for the current period if they are missing. Returns the key. */
export async function prepareDatabase(
  database: Database,
  {
    home,
    config,
    clock,
    signer,
  }: { readonly home: Home; readonly config: Config; readonly clock: Clock; readonly signer: Signer },
): Promise<string> {
  const operator = createOperator({ database, config, clock })
  const { chains, history } = await operator.showCurve()
  if (history.length === 0) {
    await issueLastPeriod(database, { config, signer, nowSeconds: BigInt(Math.floor(clock.now() / 1000)) })
  }
  if (chains.some(({ current }) => !current.signed)) {
    await operator.setCurve({ points: currentCoupons, confirm: true, by: 'sandbox' })
  }
  return ensureKey(home, operator)
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
