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
 * Creates what takes sets that the pool refuses out of what is on offer, and puts them back, where rails.preflight is
 * "require". The sets stay in memory and in the database.
 */
export function createNoteWithholder({ published, database, clock, log, config, noteMetrics }: WithholdOptions) {
  const reason = 'pool_refuses'
  const known = new Map<string, boolean>()
  /** Returns whether this changes what was known of a set. */
  const turn = (set: NoteSet, isWithheld: boolean): boolean => {
    const key = `${set.chainId}:${set.period.start}`
    if (config.rails.preflight !== 'require' || known.get(key) === isWithheld) return false
    known.delete(key)
    known.set(key, isWithheld)
    // This period and the next of each chain. Older ones are not looked at any more.
    for (const old of [...known.keys()].slice(0, -2 * config.chains.length)) known.delete(old)
    published.setWithheld(set, isWithheld)
    return true
  }
  const guard = (chain: number, work: Promise<void>) =>
    work.catch((error: unknown) => log.error({ chain, err: error }, 'the withholding of notes could not be recorded'))
  return {
    withhold: async (set: NoteSet, why: string) => {
      if (!turn(set, true)) return
      const { chainId, period } = set
      const message = `they are withheld (rails.preflight is "require"): ${why}`
      log.error({ chain: chainId, periodStart: Number(period.start), reason }, `notes withheld: ${why}`)
      noteMetrics.refused(chainId, reason)
      const refusal = { reason, message } as const
      const nowSeconds = toSeconds(clock.now())
      await guard(chainId, recordRefusal(database, { chainId, periodStart: period.start, refusal, nowSeconds }))
    },
    release: async (set: NoteSet) => {
      const { chainId, period } = set
      const wasWithheld = known.get(`${chainId}:${period.start}`) === true
      if (!turn(set, false)) return
      if (wasWithheld) log.info({ chain: chainId, periodStart: Number(period.start) }, 'notes are on offer again')
      // The first time too: a process that ended while it withheld them left its line.
      await guard(chainId, clearRefusal(database, { chainId, periodStart: period.start, reason }))
    },
  }
}
