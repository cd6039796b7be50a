import type { Database } from '@tallystick/database'
import { formatCheckpoint, type MerkleTree, rootAfter } from '@tallystick/tlog'
import type { LogKey } from './log-key.ts'
import { logChannel } from './log-migrations.ts'
import { countEntries, findCheckpoint, insertCheckpoint, readLeaves } from './log-store.ts'

/**
 * Signs a checkpoint of all entries. Replicas may call this at the same time: the lock makes it one after another, and one
 * that finds a newer checkpoint than its tree signs nothing.
 */
export async function signCheckpoint(
  database: Database,
  { key, tree, nowSeconds }: { readonly key: LogKey; readonly tree: MerkleTree; readonly nowSeconds: bigint },
): Promise<void> {
  const isSigned = await database.transaction(async (transaction) => {
    await transaction.query('lock table log_checkpoints in exclusive mode')
    const last = await findCheckpoint(transaction)
    const size = await countEntries(transaction)
    // The newest checkpoint is older than the tree after a restored database was reconciled.
    if ((last?.size ?? 0) > tree.size || size <= (last?.size ?? 0) || size < tree.size) return false
    const root = rootAfter(tree, await readLeaves(transaction, { from: tree.size, to: size }))
    const note = key.sign(formatCheckpoint({ origin: key.verifier.name, size, root }))
    await insertCheckpoint(transaction, { size, root, note, signedAt: nowSeconds })
    return true
  })
  if (isSigned) await database.notify(logChannel)
}
