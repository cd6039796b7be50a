import type { Queryable } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import { refusal } from '@tallystick/http'
import { auditIndex, openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { createJobRpc, type JobContext, withIndexDatabase } from './index-job.ts'

const listedMax = 100

/** Compares the whole index of a chain with its contracts. */
export async function runCheck(context: JobContext): Promise<void> {
  const { chain, signal, update } = context
  const rpc = createJobRpc(context)
  await withIndexDatabase(context, async (database) => {
    const namespace = namespaceOf(chain)
    await assertIndexExists(database, { chainId: chain.id, namespace })
    const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
    const pool = chain.domain.verifyingContract
    const { positions } = chain.subgraph.embedded
    const audited = { subgraph, rpc, signal, pool, positions, onProgress: update }
    const { block, compared, contradictions } = await auditIndex(audited)
    const listed = contradictions.slice(0, listedMax)
    update({ check: { block, compared, count: contradictions.length, contradictions: listed } })
  })
}

/** Opening an index creates it, and a check must not. */
async function assertIndexExists(
  database: Queryable,
  { chainId, namespace }: { readonly chainId: number; readonly namespace: string },
): Promise<void> {
  const rows = await database.query('select 1 from pg_namespace where nspname = $1', [namespace])
  if (rows.length > 0) return
  throw refusal('invalid_parameter', `The database has no index of chain ${chainId} yet. Start the service first.`)
}
