import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import type { Clocks } from './clocks.ts'

const lookMs = 2_000
// What the configuration has by default, and what clocks are allowed to differ by.
const signAheadSeconds = 600 + 2

/** Looks into the database all the while: nothing is signed for a period that begins later than the true time allows. */
export function watchFuturePeriods(
  databaseUrl: string,
  { clocks, onViolation }: { readonly clocks: Pick<Clocks, 'now'>; readonly onViolation: (words: string) => void },
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
      // The database is away at times.
      await look().catch(() => undefined)
      await setTimeout(lookMs)
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await running
    },
  }
}
