import { toSeconds } from '@tallystick/base'
import type { IssuerHost } from '../issuer-host.ts'
import type { NoteMetrics } from '../note-metrics.ts'
import type { NoteSet } from '../note-set.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { clearRefusal, type Refusal, recordRefusal } from '../refusal.ts'
import type { IssuerSettings } from '../settings.ts'

export type WithholdOptions = {
  readonly host: Pick<IssuerHost, 'database' | 'time' | 'log'>
  readonly settings: Pick<IssuerSettings, 'chains'>
  readonly published: Pick<PublishedNotes, 'find' | 'setWithheld'>
  readonly noteMetrics: Pick<NoteMetrics, 'refused'>
}

/** Notes of a set that must not be served, by tenor, and why. */
export type Withholding = {
  readonly tenors: readonly number[]
  readonly reason: (typeof withholdReasons)[number]
  readonly message: string
  /** Clause for integrators. */
  readonly clause: string
}

export const withholdReasons = [
  'pool_refuses',
  'pool_limits',
  'pool_signer',
  'pool_paused',
  'pool_wiring',
] as const satisfies readonly Refusal['reason'][]

/**
 * Creates a function that withholds notes of a set from `GET /notes`, or releases all of them without a `withholding`. The
 * set stays in memory and in the database.
 */
export function createNoteWithholder({ host, settings, published, noteMetrics }: WithholdOptions) {
  const { database, time, log } = host
  const known = new Map<string, string>()
  const logFailure = (chain: number, work: Promise<unknown>) =>
    work.catch((error: unknown) => log.error({ chain, err: error }, 'recording withheld notes failed'))
  const keep = (key: string, state: string) => {
    known.delete(key)
    known.set(key, state)
    // Keeps this period and the next of each chain.
    for (const old of [...known.keys()].slice(0, -2 * settings.chains.length)) known.delete(old)
  }
  return async (set: NoteSet, withholding: Withholding | undefined): Promise<void> => {
    const { chainId, period } = set
    const key = `${chainId}:${period.start}`
    const state = withholding ? `${withholding.reason} ${withholding.tenors} ${withholding.clause}` : ''
    const before = known.get(key)
    if (before === state) return
    keep(key, state)
    published.setWithheld(set, withholding)
    const about = { chain: chainId, periodStart: Number(period.start) }
    if (!withholding) {
      if (before) log.info(about, 'notes released')
      // Also on the first call: an earlier process may have recorded a refusal.
      const cleared = withholdReasons.map((reason) =>
        clearRefusal(database, { chainId, periodStart: period.start, reason }),
      )
      await logFailure(chainId, Promise.all(cleared))
      return
    }
    const { tenors, reason, message } = withholding
    log.error({ ...about, reason, tenors }, `notes withheld: ${message}`)
    noteMetrics.refused(chainId, reason)
    const refusal = { reason, message } as const
    const nowSeconds = toSeconds(time.now())
    await logFailure(chainId, recordRefusal(database, { chainId, periodStart: period.start, refusal, nowSeconds }))
  }
}
