import { type Clock, toSeconds } from '@tallystick/base'
import { periodAfter, periodAt } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import { type DiscardedSet, type DiscardRequest, type FullReconcileReport, signingHorizon } from '@tallystick/issuer'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { reportDiscarded, reportNotes } from './notes-report.ts'
import { parseRequest } from './parse-request.ts'

export type NotesOperator = ReturnType<typeof createNotesOperator>

export type NotesOperatorContext = {
  readonly database: Database
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails' | 'curve' | 'signer' | 'log'>
  readonly clock: Clock
  readonly auditor: Auditor
  /** Reads the latest of all known clocks, Unix ms. A set is discarded only if it is in the future by all of them. */
  readonly latestNow: () => Promise<number>
  /** These use the signer journal, which a running service has open. */
  readonly reconcile: (auditor: Auditor) => Promise<FullReconcileReport>
  readonly discard: (request: DiscardRequest) => Promise<DiscardedSet>
}

const discardSchema = z.strictObject({ chainId: z.int(), period: z.iso.datetime({ offset: true }) })

export function createNotesOperator(context: NotesOperatorContext) {
  const { database, config, clock, auditor, latestNow, reconcile, discard } = context
  const now = () => toSeconds(clock.now())
  const signable = async () => signingHorizon(toSeconds(await latestNow()), config.rails.signAheadSeconds)
  return {
    showNotes: async () => {
      const nowSeconds = now()
      const current = periodAt(nowSeconds)
      const next = periodAfter(current)
      return reportNotes(database, { config, nowSeconds, current, next, signable: await signable() })
    },
    reconcileNotes: () => reconcile(auditor),
    /** Deletes a set that a wrong clock signed too early, from the database and the signer journal. */
    discardNotes: async (request: unknown) => {
      const { chainId, period } = parseRequest(discardSchema, request, 'invalid_parameter')
      const periodStart = toSeconds(Date.parse(period))
      const wanted = { chainId, periodStart, ...(await signable()), nowSeconds: now(), auditor }
      return { discarded: reportDiscarded(await discard(wanted)) }
    },
  }
}
