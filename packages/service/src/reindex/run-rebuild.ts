import { findBlock, NoRpcError, type RpcPool } from '@tallystick/chain'
import { type AuditedChange, type Auditor, type Database, recordAudit } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import {
  auditIndex,
  type IndexHead,
  openProtocolMapping,
  openSubgraph,
  protocolSchema,
  rebuildIndex,
  type Subgraph,
  SubgraphError,
} from '@tallystick/subgraph'
import { createJobRpc, type JobContext, withIndexDatabase } from './index-job.ts'

// An outage of the RPC does not end a rebuild that took hours.
const patienceMs = 300_000

type Rebuild = { readonly from: number; readonly auditor: Auditor }

/** Indexes a chain again from a block. The old index serves until the new one is complete and agrees with the chain. */
export async function runRebuild(context: JobContext, rebuild: Rebuild): Promise<void> {
  const { chain, log } = context
  const rpc = createJobRpc(context)
  log.info({ from: rebuild.from }, 'rebuild of the index started')
  const head = await withIndexDatabase(context, async (database) => {
    await assertStart(database, { context, rpc, from: rebuild.from })
    return build(database, { context, rpc, rebuild })
  }).catch((error) => {
    throw keptOld(error)
  })
  await context.onReplaced?.(chain.id)
  context.update({ block: head.number })
  const { actor, remark, log: auditLog } = rebuild.auditor
  const change = describeChange(context, { from: rebuild.from, head })
  auditLog?.info({ actor, ...(remark && { remark }), ...change }, 'audit')
}

function describeChange(
  { chain }: Pick<JobContext, 'chain'>,
  { from, head: { number, hash } }: { readonly from: number; readonly head: IndexHead },
): AuditedChange {
  return { action: 'index.rebuild', subject: `chain ${chain.id}`, details: { from, block: number, hash } }
}

type Parts = { readonly context: JobContext; readonly rpc: RpcPool }

function build(database: Database, { context, rpc, rebuild }: Parts & { readonly rebuild: Rebuild }) {
  const { chain, log, signal, time, update } = context
  const { from } = rebuild
  const { actor, remark } = rebuild.auditor
  const pool = chain.domain.verifyingContract
  const { positions } = chain.subgraph.embedded
  return rebuildIndex({
    database,
    schema: protocolSchema,
    namespace: namespaceOf(chain),
    chainId: chain.id,
    urls: chain.rpc,
    mapping: openProtocolMapping({ pool, positions }),
    startBlock: from,
    maxReorgDepth: chain.maxReorgDepth,
    log,
    time,
    signal,
    verify: (subgraph) => verify(subgraph, { context, rpc, from }),
    record: (transaction, head) =>
      recordAudit(transaction, { ...describeChange(context, { from, head }), actor, remark }),
    onProgress: ({ step, block = null, chainHead = null, problem = null }) =>
      update({ step, block, chainHead, problem }),
  })
}

/** Throws if the chain does not have the first block, or if a known position is older. */
async function assertStart(
  database: Database,
  { context: { chain }, rpc, from }: Parts & { readonly from: number },
): Promise<void> {
  const first = await rpc
    .run((endpoint) => findBlock(endpoint, from))
    .catch((error) => {
      throw error instanceof NoRpcError ? failed(rpc.problem ?? error.message) : error
    })
  if (!first) throw failed(`The chain has no block ${from} yet.`)
  const { startBlock } = chain.subgraph.embedded
  if (from <= startBlock) return
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace: namespaceOf(chain) })
  const { data } = await subgraph.execute({
    query: '{ positionInfos(first: 1, orderBy: lendTimestamp) { id lendTimestamp } }',
  })
  const [oldest] = (data as { readonly positionInfos?: readonly Lent[] } | undefined)?.positionInfos ?? []
  if (!oldest || Number(oldest.lendTimestamp) >= first.timestamp) return
  throw failed(
    `Position ${oldest.id} was lent before block ${from}. Start at the block of the pool's deployment or before it. Without --from it starts at startBlock, ${startBlock}.`,
  )
}

type Lent = { readonly id: string; readonly lendTimestamp: string }

async function verify(
  subgraph: Subgraph,
  { context: { chain, signal, update }, rpc, from }: Parts & { readonly from: number },
): Promise<void> {
  const pool = chain.domain.verifyingContract
  const { positions } = chain.subgraph.embedded
  const audited = { subgraph, rpc, signal, pool, positions, patienceMs, onProgress: update }
  const { contradictions } = await auditIndex(audited)
  const [first, ...others] = contradictions
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` ${others.length} more contradictions were found.`
  throw failed(
    `The new index contradicts the chain: ${first}${more} If the pool was deployed before block ${from}, start earlier. Otherwise an RPC left out logs: run it again, or with another RPC.`,
  )
}

function failed(message: string): SubgraphError {
  return new SubgraphError({ code: 'rebuild_failed', message })
}

function keptOld(error: unknown): unknown {
  if (!(error instanceof SubgraphError)) return error
  const { code, message } = error
  return new SubgraphError({ code, message: `${message} The old index stays in use.`, cause: error })
}
