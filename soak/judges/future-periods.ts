import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import type { Clocks } from '../environment/clocks.ts'

const pollMs = 2_000
// The default of the configuration plus the tolerance of clocks.
const signAheadSeconds = 600 + 2

/** Polls the database and reports sets that are signed earlier than the true time allows. */
export function watchFuturePeriods(
  databaseUrl: string,
  { clocks, onViolation }: { readonly clocks: Pick<Clocks, 'now'>; readonly onViolation: (message: string) => void },
): { stop(): Promise<void> } {
  let isStopped = false
  const look = async () => {
    const database = await openDatabase(databaseUrl)
    try {
      const sql = 'select chain_id, period_start from note_sets order by period_start desc limit 1'
      const [row] = await database.query<{ chain_id: number; period_start: bigint }>(sql)
      const aheadSeconds = row ? Number(row.period_start) - clocks.now() / 1000 : 0
      if (!row || aheadSeconds <= signAheadSeconds) return
      onViolation(`notes of chain ${row.chain_id} are signed ${Math.round(aheadSeconds)} s before their period`)
    } finally {
      await database.close()
    }
  }
  const running = (async () => {
    while (!isStopped) {
      // The database is sometimes unavailable.
      await look().catch(() => undefined)
      await setTimeout(pollMs)
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await running
    },
  }
}
