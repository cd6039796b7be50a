import { setImmediate } from 'node:timers/promises'
import { type LogEntry, parseLogEntry } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { findLoggedCurves, findLoggedSets, type LogRange } from '@tallystick/issuer'
import { equalBytes } from '@tallystick/tlog'
import type { PublicLog } from './create-public-log.ts'
import { curveEntryOf, isSameContent, notesEntryOf } from './format-entries.ts'
import { hashLeaf } from './hash-nodes.ts'
import { readEntries } from './log-store.ts'

// Verifying so many takes 4 ms of the thread that serves notes, and all 256 of a range 100 ms.
const entriesAtOnce = 8

/** A row that differs from the public log. */
export type AlteredRow = { readonly index: number; readonly message: string }

/** Compares a range of entries with the tree, and the rows of curves, notes and signers with their entries. */
export async function findAlteredRows(
  database: Queryable,
  { tree, range }: { readonly tree: PublicLog['tree']; readonly range: LogRange },
): Promise<AlteredRow[]> {
  const stored = new Map((await readEntries(database, range)).map((entry) => [entry.index, entry]))
  const records = await readRecords(database, range)
  const found: AlteredRow[] = []
  for (let index = range.from; index < range.to; index++) {
    if (index % entriesAtOnce === 0) await setImmediate()
    const entry = stored.get(index)
    const message = entry ? findFault(entry, { tree, records }) : 'it is missing in the table log_entries'
    if (message) found.push({ index, message: `entry ${index}: ${message}` })
  }
  return found
}

/** Returns a digest of all rows that `findAlteredRows` compares, computed by the database. */
export async function digestRows(database: Queryable, { from, to }: LogRange): Promise<string> {
  const [row] = await database.query<{ digest: string }>(
    `select encode(sha256(convert_to(concat_ws(chr(10),
       (select string_agg(entry_row::text, chr(10) order by entry_row.index) from log_entries entry_row
        where entry_row.index >= $1 and entry_row.index < $2),
       (select string_agg(curve_row::text, chr(10) order by curve_row.log_index) from curves curve_row
        where curve_row.log_index >= $1 and curve_row.log_index < $2),
       (select string_agg(signer_row::text, chr(10) order by signer_row.log_index) from log_signers signer_row
        where signer_row.log_index >= $1 and signer_row.log_index < $2),
       (select string_agg(concat(set_row::text, note_row::text), chr(10) order by set_row.log_index, note_row.maturity)
        from note_sets set_row left join notes note_row using (chain_id, period_start)
        where set_row.log_index >= $1 and set_row.log_index < $2)
     ), 'UTF8')), 'hex') as digest`,
    [from, to],
  )
  return row?.digest ?? ''
}

/** The rows that belong to entries, as functions that return the content their entry should have. */
type Records = ReadonlyMap<number, (entry: LogEntry) => object>

async function readRecords(database: Queryable, { from, to }: LogRange): Promise<Records> {
  const contents = new Map<number, (entry: LogEntry) => object>()
  for (const curve of await findLoggedCurves(database, { from, to })) {
    contents.set(curve.logIndex as number, () => curveEntryOf(curve))
  }
  for (const { set, curveIndex } of await findLoggedSets(database, { from, to })) {
    // The database does not store the domain, which the signatures depend on.
    contents.set(set.logIndex as number, (entry) =>
      entry.type === 'notes' ? notesEntryOf(set, { domain: entry.domain as never, curveIndex }) : {},
    )
  }
  const signers = await database.query<{ log_index: bigint; chain_id: bigint; signer: string }>(
    'select log_index, chain_id, signer from log_signers where log_index >= $1 and log_index < $2',
    [from, to],
  )
  for (const { log_index, chain_id, signer } of signers) {
    contents.set(Number(log_index), (entry) => ({ ...entry, chainid: String(chain_id), to: signer, type: 'signer' }))
  }
  return contents
}

function findFault(
  { index, line, leaf }: { readonly index: number; readonly line: string; readonly leaf: Uint8Array },
  { tree, records }: { readonly tree: PublicLog['tree']; readonly records: Records },
): string | undefined {
  const published = tree.readNode({ level: 0, index })
  if (!equalBytes(hashLeaf(line), published)) {
    return 'its bytes in the table log_entries were changed'
  }
  if (!equalBytes(leaf, published)) return 'its hash in the table log_entries was changed'
  const { entry, problem } = parseLogEntry(line)
  if (!entry) return `it is not valid: ${problem}`
  const contentOf = records.get(index)
  const table = { curve: 'curves', notes: 'note_sets', signer: 'log_signers' }[entry.type]
  if (!contentOf) return `its row in the table ${table} is missing`
  const where = entry.type === 'notes' ? 'the tables note_sets and notes' : `the table ${table}`
  return isSameContent(contentOf(entry), entry) ? undefined : `its row in ${where} was changed`
}
