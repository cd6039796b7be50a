import type { Queryable } from '@tallystick/database'
import {
  createMerkleTree,
  encodeBase64,
  encodeUtf8,
  equalBytes,
  leafHash,
  type MerkleTree,
  rootOf,
} from '@tallystick/tlog'
import { type AuditHead, AuditHeadError, readAuditHead } from './audit-head.ts'
import { auditContent } from './audit-leaves.ts'

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
  const head = await readAuditHead(headPath).catch((error) => {
    if (error instanceof AuditHeadError) return error
    throw error
  })
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
