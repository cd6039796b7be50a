import type { Database } from '@tallystick/database'
import type { Clock } from '../clock.ts'
import type { Published } from '../notes/published.ts'

export type Readiness = {
  readonly ready: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
}

const databaseTimeoutMs = 2_000

/** Ready means: the current period's notes of every chain are in memory, and the database answers. */
export async function checkReadiness({
  database,
  published,
  clock,
  chainIds,
}: {
  readonly database: Database
  readonly published: Published
  readonly clock: Clock
  readonly chainIds: readonly number[]
}): Promise<Readiness> {
  const period = published.at(clock.now())
  const notes = chainIds.map((chainId) => {
    const count = period?.sets.get(chainId)?.notes.length ?? 0
    const detail =
      count > 0 ? `${count} notes in memory` : 'no notes for the current period; `tallystick notes show` says why'
    return { name: `notes of chain ${chainId}`, ok: count > 0, detail }
  })
  const checks = [...notes, await checkDatabase(database)]
  return { ready: checks.every(({ ok }) => ok), checks }
}

async function checkDatabase(database: Database) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), databaseTimeoutMs)
  })
  const answer = await Promise.race([database.query('select 1').catch(() => 'failed' as const), late])
  clearTimeout(timer)
  const ok = Array.isArray(answer)
  const detail = ok ? 'answers' : answer === 'late' ? `no answer in ${databaseTimeoutMs} ms` : 'cannot be used'
  return { name: database.label, ok, detail }
}
