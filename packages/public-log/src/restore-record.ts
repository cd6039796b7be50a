import { type CurveEntry, decodeNote, type LogEntry, type NotesEntry } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import {
  type Curve,
  findNoteSet,
  findSameCurve,
  insertCurve,
  insertNoteSet,
  type NoteSet,
  setCurveLogIndex,
  setNotesLogIndex,
} from '@tallystick/issuer'
import type { Address } from 'viem'
import { insertSigner } from './append-records.ts'
import { isSameContent, notesEntryOf } from './format-entries.ts'

/** Connects an entry with its row, which is inserted if it is missing. Returns why that is impossible, or undefined. */
export async function restoreRecord(
  transaction: Queryable,
  { index, entry }: { readonly index: number; readonly entry: LogEntry },
): Promise<string | undefined> {
  if (entry.type === 'curve') return restoreCurve(transaction, { index, entry })
  if (entry.type === 'notes') return restoreNotes(transaction, { index, entry })
  await insertSigner(transaction, { index, chainId: Number(entry.chainid), signer: entry.to })
  return undefined
}

async function restoreCurve(
  transaction: Queryable,
  { index, entry }: { readonly index: number; readonly entry: CurveEntry },
): Promise<undefined> {
  const content: Omit<Curve, 'id'> = {
    chainId: entry.chainid === null ? null : Number(entry.chainid),
    effectiveFrom: BigInt(entry.effectiveFrom),
    points: Object.fromEntries(Object.entries(entry.points).map(([tenor, bps]) => [tenor, Number(bps)])),
    confirmed: entry.confirmed,
    source: entry.source,
    provenance: entry.provenance,
    createdBy: entry.setBy,
    createdAt: BigInt(entry.createdAt),
  }
  const same = await findSameCurve(transaction, content)
  const { id } = same && same.logIndex === undefined ? same : await insertCurve(transaction, content)
  await setCurveLogIndex(transaction, { id, index })
  return undefined
}

async function restoreNotes(
  transaction: Queryable,
  { index, entry }: { readonly index: number; readonly entry: NotesEntry },
): Promise<string | undefined> {
  const [curve] = await transaction.query<{ id: bigint }>('select id from curves where log_index = $1', [entry.curve])
  if (!curve) return `its curve, entry ${entry.curve}, is missing.`
  const set = toNoteSet(entry, curve.id)
  const key = { chainId: set.chainId, periodStart: set.period.start }
  const stored = await findNoteSet(transaction, key)
  if (!stored) await insertNoteSet(transaction, set)
  else {
    const content = notesEntryOf(stored, { domain: entry.domain as never, curveIndex: entry.curve })
    if (!isSameContent(content, entry)) return 'the database has other notes for its chain and period.'
    const statement = 'update note_sets set curve_id = $3 where chain_id = $1 and period_start = $2'
    await transaction.query(statement, [key.chainId, key.periodStart, curve.id])
  }
  await setNotesLogIndex(transaction, { ...key, index })
  return undefined
}

function toNoteSet(entry: NotesEntry, curveId: bigint): NoteSet {
  const { start, end, noteDay } = entry.period
  const period = { start: BigInt(start), end: BigInt(end), noteDay: BigInt(noteDay) }
  const notes = entry.notes.map((wire) => {
    const note = decodeNote(wire)
    // A day with a clock change has 23 or 25 hours.
    return { ...note, tenorDays: Math.round(Number(note.maturityTimestamp - period.noteDay) / 86_400) }
  })
  const issuedAt = BigInt(entry.issuedAt)
  return { chainId: Number(entry.chainid), period, signer: entry.signer as Address, curveId, issuedAt, notes }
}
