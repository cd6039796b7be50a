import { setImmediate } from 'node:timers/promises'
import type { CurvePoints, Period } from '@tallystick/core'
import type { Database, Queryable } from '@tallystick/database'
import { parseSignature } from 'viem'
import type { IssuerChain } from '../settings.ts'
import type { Signer } from '../signers/signer.ts'
import { periodNoteTerms } from './period-note-terms.ts'

/** A past period and the coupons to issue it with. */
export type PastPeriod = { readonly period: Period; readonly points: CurvePoints }

/** Stores a manual curve for each past period, oldest first. They belong before every other curve. */
export async function storePastCurves(database: Queryable, past: readonly PastPeriod[]): Promise<void> {
  const rows = past.map(({ period, points }) => ({ effective_from: String(period.start), points }))
  await database.query(
    `insert into curves (chain_id, effective_from, points, confirmed, source, created_by, created_at)
     select null, effective_from, points, false, 'manual', 'sandbox', effective_from
     from json_to_recordset($1::json) as row (effective_from bigint, points jsonb) order by effective_from`,
    [JSON.stringify(rows)],
  )
}

/**
 * Signs and stores the notes of past periods, whose curves are stored, in two statements. It checks no rails and writes
 * neither journal nor log: the notes have expired. Yields to other work between the sets.
 */
export async function issuePastPeriods(
  { database, signer }: { readonly database: Database; readonly signer: Signer },
  { chains, past }: { readonly chains: readonly IssuerChain[]; readonly past: readonly PastPeriod[] },
): Promise<void> {
  const sets: object[] = []
  const notes: object[] = []
  for (const chain of chains) {
    for (const { period, points } of past) {
      sets.push(setRow(chain, { period, signer }))
      notes.push(...(await signNotes(signer, { chain, period, points })))
      await setImmediate()
    }
  }
  if (sets.length === 0) return
  await database.transaction(async (transaction) => {
    await transaction.query(insertSets, [JSON.stringify(sets)])
    await transaction.query(insertNotes, [JSON.stringify(notes)])
  })
}

const insertSets = `
  insert into note_sets (chain_id, period_start, period_end, note_day, signer, curve_id, issued_at)
  select row.chain_id, period_start, period_end, note_day, signer,
    (select id from curves where effective_from = period_start order by id limit 1), period_start
  from json_to_recordset($1::json) as row
    (chain_id bigint, period_start bigint, period_end bigint, note_day bigint, signer text)`

const insertNotes = `
  insert into notes (chain_id, period_start, maturity, tenor_days, coupon_bps, valid_after, valid_before, r, s, v)
  select * from json_to_recordset($1::json) as row
    (chain_id bigint, period_start bigint, maturity bigint, tenor_days int, coupon_bps int, valid_after bigint,
     valid_before bigint, r text, s text, v smallint)`

function setRow(chain: IssuerChain, { period, signer }: { readonly period: Period; readonly signer: Signer }): object {
  return {
    chain_id: chain.id,
    period_start: String(period.start),
    period_end: String(period.end),
    note_day: String(period.noteDay),
    signer: signer.address,
  }
}

async function signNotes(
  signer: Signer,
  { chain, period, points }: PastPeriod & { readonly chain: IssuerChain },
): Promise<object[]> {
  return Promise.all(
    chain.tenors.map(async (tenorDays) => {
      const terms = periodNoteTerms({ chain, period, tenorDays, couponBps: points[tenorDays] as number })
      const { r, s, yParity } = parseSignature((await signer.sign(terms, chain.domain)) as `0x${string}`)
      return {
        ...{ chain_id: chain.id, period_start: String(period.start), tenor_days: tenorDays },
        ...{ coupon_bps: Number(terms.coupon), maturity: String(terms.maturityTimestamp) },
        ...{ valid_after: String(terms.validAfter), valid_before: String(terms.validBefore) },
        ...{ r, s, v: 27 + yParity },
      }
    }),
  )
}
