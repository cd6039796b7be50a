import type { Migration, Queryable } from '@tallystick/database'
import {
  createMerkleTree,
  encodeBase64,
  encodeUtf8,
  equalBytes,
  leafHash,
  type MerkleTree,
  rootOf,
} from '@tallystick/tlog'
import { type AuditHead, type AuditHeadError, readAuditHead } from './audit-head.ts'

/** SQL of the bytes that a row of `audit` is hashed from. They do not depend on settings of the session. */
const auditContent = (row: string) =>
  `jsonb_build_array(${row}.id, (extract(epoch from ${row}.at) * 1000000)::bigint, ${row}.actor, ${row}.remark, ${row}.action,
     ${row}.subject, ${row}.details)::text`

// The hash of a leaf as RFC 6962 has it: SHA-256 of a zero byte and the content.
const leafOf = (row: string) => `sha256('\\x00'::bytea || convert_to(${auditContent(row)}, 'UTF8'))`

/**
 * Every row of `audit` is a leaf of a Merkle tree. A trigger writes it, also for replicas of the release before. It runs at
 * the end of the transaction, so that its lock is the last one: the leaves have consecutive numbers on all replicas.
 */
export const auditLeafMigrations: readonly Migration[] = [
  {
    name: 'audit leaves',
    statements: [
      `create table audit_leaves (
         index bigint primary key, audit_id bigint not null unique, leaf_hash bytea not null)`,
      // A row that is inserted meanwhile would have no leaf.
      'lock table audit in share row exclusive mode',
      `insert into audit_leaves select row_number() over (order by old.id) - 1, old.id, ${leafOf('old')} from audit old`,
      `create function add_audit_leaf() returns trigger language plpgsql as $$ begin
         lock table audit_leaves in share row exclusive mode;
         insert into audit_leaves
           select coalesce(max(leaf.index) + 1, 0), new.id, ${leafOf('new')} from audit_leaves leaf;
         return null;
       end $$`,
      `create constraint trigger audit_leaf after insert on audit deferrable initially deferred
         for each row execute function add_audit_leaf()`,
      `create trigger audit_leaves_append_only before update or delete or truncate on audit_leaves
         for each statement execute function refuse_audit_change()`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: [
      // The entry of the revert itself waits for the end of the transaction.
      'set constraints all immediate',
      'drop trigger audit_leaf on audit',
      'drop function add_audit_leaf()',
      'drop table audit_leaves',
    ],
    loses: 'the hashes by which changed and deleted rows of the audit are found',
  },
]

/** Result of comparing the table `audit` with its hashes, and these with the head that this replica has noted. */
export type AuditCheck = {
  readonly rows: number
  /** The first ones. */
  readonly faults: readonly string[]
}

const pageRows = 1_000
const faultsMax = 10

/** Checks all rows. `headPath` is the file of this replica. */
export async function checkAudit(database: Queryable, headPath: string): Promise<AuditCheck> {
  // First: the rows read after it are at least those of the head.
  const head = await readAuditHead(headPath).catch((error: AuditHeadError) => error)
  const tree = createMerkleTree()
  const faults = await readLeaves(database, tree)
  const unhashed = await database.query<{ id: bigint }>(
    `select id from audit where not exists (select from audit_leaves where audit_id = id) order by id limit ${faultsMax}`,
  )
  faults.push(...unhashed.map(({ id }) => `row ${id} has no hash in the table audit_leaves`))
  const headFault = head instanceof Error ? head.message : head && findHeadFault(tree, { head, path: headPath })
  return { rows: tree.size, faults: [...(headFault ? [headFault] : []), ...faults].slice(0, faultsMax) }
}

/** Appends the leaves after the last one to the tree. Returns the rows that do not match their leaves. */
export async function readLeaves(database: Queryable, tree: MerkleTree): Promise<string[]> {
  const faults: string[] = []
  for (;;) {
    const leaves = await database.query<LeafRow>(
      `select leaf.index, leaf.audit_id, leaf.leaf_hash, case when entry.id is not null then ${auditContent('entry')} end as content
       from audit_leaves leaf left join audit entry on entry.id = leaf.audit_id
       where leaf.index >= $1 order by leaf.index limit ${pageRows}`,
      [tree.size],
    )
    for (const { index, audit_id: id, leaf_hash: hash, content } of leaves) {
      if (Number(index) !== tree.size) return [...faults, `hash ${tree.size} is missing in the table audit_leaves`]
      tree.append(hash)
      if (content === null) faults.push(`row ${id} was deleted`)
      else if (!equalBytes(leafHash(encodeUtf8(content)), hash)) faults.push(`row ${id} was changed`)
    }
    if (leaves.length < pageRows) return faults
  }
}

/** Returns how the leaves contradict a head that was noted before. */
export function findHeadFault(
  tree: MerkleTree,
  { head: { size, root }, path }: { readonly head: AuditHead; readonly path: string },
): string | undefined {
  if (tree.size < size) {
    return `${size - tree.size} of the newest rows were deleted, hashes included: ${path} knows ${size} rows, the database has ${tree.size}`
  }
  if (encodeBase64(rootOf(size, tree.readNode)) === root) return undefined
  return `the hashes were replaced: those of the first ${size} rows are not the ones that ${path} knows`
}

type LeafRow = {
  readonly index: bigint
  readonly audit_id: bigint
  readonly leaf_hash: Uint8Array
  readonly content: string | null
}
