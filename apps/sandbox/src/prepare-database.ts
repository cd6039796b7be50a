import { existsSync, rmSync } from 'node:fs'
import { type Clock, type Config, createOperator, openServiceDatabase } from '@tallystick/api'
import type { Database } from '@tallystick/database'
import { type Home, readText, writeSecret } from './home.ts'

// What US Treasury bills paid in a calm autumn, less a point for the protocol: believable, and gently inverted.
const coupons = { 7: 369, 14: 365, 30: 362, 60: 358, 90: 355, 180: 350, 360: 340 }
// Replicas' clocks may differ by a minute; more is a sandbox that was last run at a later time.
const toleranceSeconds = 60

/** Brings the database to where the service can start: a key, and a curve for the current period. Returns the key. */
export async function prepareDatabase(
  home: Home,
  { config, clock, say }: { readonly config: Config; readonly clock: Clock; readonly say: (line: string) => void },
): Promise<string> {
  if (!existsSync(home.database)) say('making the embedded database (a few seconds, this once)')
  let database = await openServiceDatabase(config.database.reveal(), () => undefined)
  try {
    if (await wasRunLater(database, clock)) {
      say('this directory was last run at a later time than now: beginning a new history in it')
      await database.close()
      rmSync(home.database, { recursive: true })
      database = await openServiceDatabase(config.database.reveal(), () => undefined)
    }
    const operator = createOperator({ database, config, clock })
    const { chains } = await operator.showCurve()
    if (chains.some(({ current }) => !current.signed)) {
      await operator.setCurve({ points: coupons, confirm: true, by: 'sandbox' })
    }
    return await ensureKey(home, operator)
  } finally {
    await database.close()
  }
}

/** Whether notes were signed at a time that is still to come: then the time was set back, and the rails would refuse. */
async function wasRunLater(database: Database, clock: Clock): Promise<boolean> {
  const [row] = await database.query<{ last: bigint | null }>('select max(issued_at) as last from note_sets')
  return Number(row?.last ?? 0) > clock.now() / 1000 + toleranceSeconds
}

/** The key of the last run if it still works, else a new one. */
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
