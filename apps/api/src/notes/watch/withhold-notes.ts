import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { type Clock, toSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { NoteMetrics } from '../note-metrics.ts'
import type { NoteSet } from '../note-set.ts'
import { clearRefusal, recordRefusal } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'

export type WithholdOptions = {
  readonly config: Pick<Config, 'chains' | 'rails'>
  readonly published: Pick<PublishedNotes, 'find' | 'setWithheld'>
  readonly database: Database
  readonly clock: Clock
  readonly noteMetrics: Pick<NoteMetrics, 'refused'>
  readonly log: Logger
}

/**
 * Creates functions that withhold a set from `GET /notes` and release it. They do nothing unless rails.preflight is
 * "require". The set stays in memory and in the database.
 */
export function createNoteWithholder({ published, database, clock, log, config, noteMetrics }: WithholdOptions) {
  const reason = 'pool_refuses'
  const known = new Map<string, boolean>()
  /** Returns whether the state of the set changed. */
  const update = (set: NoteSet, isWithheld: boolean): boolean => {
    const key = `${set.chainId}:${set.period.start}`
    if (config.rails.preflight !== 'require' || known.get(key) === isWithheld) return false
    known.delete(key)
    known.set(key, isWithheld)
    // Keeps this period and the next of each chain.
    for (const old of [...known.keys()].slice(0, -2 * config.chains.length)) known.delete(old)
    published.setWithheld(set, isWithheld)
    return true
  }
  const logFailure = (chain: number, work: Promise<void>) =>
    work.catch((error: unknown) => log.error({ chain, err: error }, 'recording withheld notes failed'))
  return {
    withhold: async (set: NoteSet, why: string) => {
      if (!update(set, true)) return
      const { chainId, period } = set
      const message = `they are withheld (rails.preflight is "require"): ${why}`
      log.error({ chain: chainId, periodStart: Number(period.start), reason }, `notes withheld: ${why}`)
      noteMetrics.refused(chainId, reason)
      const refusal = { reason, message } as const
      const nowSeconds = toSeconds(clock.now())
      await logFailure(chainId, recordRefusal(database, { chainId, periodStart: period.start, refusal, nowSeconds }))
    },
    release: async (set: NoteSet) => {
      const { chainId, period } = set
      const wasWithheld = known.get(`${chainId}:${period.start}`) === true
      if (!update(set, false)) return
      if (wasWithheld) log.info({ chain: chainId, periodStart: Number(period.start) }, 'notes released')
      // Also on the first call: an earlier process may have recorded a refusal.
      await logFailure(chainId, clearRefusal(database, { chainId, periodStart: period.start, reason }))
    },
  }
}
