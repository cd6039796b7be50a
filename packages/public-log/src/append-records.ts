import { randomBytes } from 'node:crypto'
import type { NoteDomain } from '@tallystick/core'
import type { Database, Queryable } from '@tallystick/database'
import {
  type Curve,
  findCurve,
  listUnloggedCurves,
  type NoteSet,
  setCurveLogIndex,
  setNotesLogIndex,
} from '@tallystick/issuer'
import { curveEntryOf, notesEntryOf } from './format-entries.ts'
import { appendEntry } from './log-store.ts'

/** Returns 16 random bytes in hex. They keep the content of an entry secret while only its hash is public. */
function createSalt(): string {
  return randomBytes(16).toString('hex')
}

/** Logs the curves that are in force from an instant on and not logged yet. Returns whether there were any. */
export async function logCurves(database: Database, fromSeconds: bigint): Promise<boolean> {
  const waiting = await listUnloggedCurves(database, fromSeconds)
  for (const { id } of waiting) await logCurve(database, id)
  return waiting.length > 0
}

/** Logs a curve, unless it is logged already. Returns the index of its entry. */
export async function logCurve(database: Database, id: bigint): Promise<number> {
  return database.transaction(async (transaction) => {
    // All transactions lock `curves` before `log_entries`.
    await transaction.query('lock table curves in row exclusive mode')
    await transaction.query('lock table log_entries in exclusive mode')
    const curve = (await findCurve(transaction, id)) as Curve
    if (curve.logIndex !== undefined) return curve.logIndex
    const index = await appendEntry(transaction, { ...curveEntryOf(curve), salt: createSalt() })
    await setCurveLogIndex(transaction, { id, index })
    return index
  })
}

type AppendedSet = {
  readonly set: NoteSet
  readonly domain: NoteDomain
  /** Why the signer changed, if it did. */
  readonly why: string
  readonly nowSeconds: bigint
}

/**
 * Logs a stored set in the transaction that stores it, after an entry of its signer if the chain had another one before.
 * Its curve must be logged. Returns the index of its entry.
 */
export async function appendSet(
  transaction: Queryable,
  { set, domain, why, nowSeconds }: AppendedSet,
): Promise<number> {
  await transaction.query('lock table log_entries in exclusive mode')
  const curve = await findCurve(transaction, set.curveId)
  if (curve?.logIndex === undefined) throw new Error(`curve ${set.curveId} is not in the public log`)
  await appendSigner(transaction, { set, why, nowSeconds })
  const content = notesEntryOf(set, { domain, curveIndex: curve.logIndex })
  const index = await appendEntry(transaction, { ...content, salt: createSalt() })
  await setNotesLogIndex(transaction, { chainId: set.chainId, periodStart: set.period.start, index })
  return index
}

async function appendSigner(
  transaction: Queryable,
  { set, why, nowSeconds }: { readonly set: NoteSet; readonly why: string; readonly nowSeconds: bigint },
): Promise<void> {
  const [last] = await transaction.query<{ signer: string }>(
    'select signer from log_signers where chain_id = $1 order by log_index desc limit 1',
    [set.chainId],
  )
  if (last?.signer === set.signer) return
  const index = await appendEntry(transaction, {
    v: 1,
    type: 'signer',
    salt: createSalt(),
    chainid: String(set.chainId),
    from: last?.signer ?? null,
    to: set.signer,
    why: last ? why : 'first signer of the chain in this log',
    at: String(nowSeconds),
  })
  await insertSigner(transaction, { index, chainId: set.chainId, signer: set.signer })
}

export async function insertSigner(
  transaction: Queryable,
  { index, chainId, signer }: { readonly index: number; readonly chainId: number; readonly signer: string },
): Promise<void> {
  const insert = 'insert into log_signers (log_index, chain_id, signer) values ($1, $2, $3)'
  await transaction.query(insert, [index, chainId, signer])
}
