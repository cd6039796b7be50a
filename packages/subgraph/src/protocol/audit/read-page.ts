import { findBlock, NoRpcError, type RpcEndpoint, RpcError, type RpcPool } from '@tallystick/chain'
import { pause } from '../../follow/pause.ts'
import type { Subgraph } from '../../subgraph.ts'
import { SubgraphError } from '../../subgraph-error.ts'
import type { Difference } from '../contradictions.ts'

export type IndexedBlock = { readonly number: number; readonly hash: string }

/** Part of an index, all of it at one block. */
type Page<Entity> = { readonly block: IndexedBlock; readonly entities: readonly Entity[] }

export type PageContext = {
  readonly subgraph: Pick<Subgraph, 'execute'>
  readonly rpc: RpcPool
  readonly signal: AbortSignal
  /** Time for which a failing RPC is retried, 30 s by default. */
  readonly patienceMs?: number | undefined
}

export type PageRequest<Entity> = {
  /** Root field that has the alias `entities`. */
  readonly query: string
  readonly compare: (endpoint: RpcEndpoint, page: Page<Entity>) => Promise<readonly Difference[]>
}

const patienceMsDefault = 30_000
const attemptPauseMs = 500
// Several reorgs in a row are a contradiction.
const changesMax = 5

/**
 * Reads a part of an index and compares it with the chain at the same block. A reorg between two reads, or an RPC that
 * does not have the block yet, is not a contradiction: the part is read again.
 */
export async function comparePage<Entity>(
  context: PageContext,
  { query, compare }: PageRequest<Entity>,
): Promise<Page<Entity> & { readonly contradictions: readonly string[] }> {
  const { rpc, signal, patienceMs = patienceMsDefault } = context
  const endsAtMs = performance.now() + patienceMs
  for (let changes = 0; ; ) {
    signal.throwIfAborted()
    const page = await readPage<Entity>(context, query)
    try {
      const differences = await rpc.run(async (endpoint) => {
        await assertBlock(endpoint, page.block)
        const found = await compare(endpoint, page)
        await assertBlock(endpoint, page.block)
        return found
      })
      return { ...page, contradictions: differences.map(({ message }) => message) }
    } catch (error) {
      const isChanged = error instanceof RpcError && error.kind === 'changed'
      if (!isChanged && !(error instanceof NoRpcError)) throw error
      if (isChanged && ++changes === changesMax) return { ...page, contradictions: [error.message] }
      if (performance.now() > endsAtMs) throw cannotCompare(page.block, rpc.problem)
      await pause(attemptPauseMs, [signal])
    }
  }
}

async function readPage<Entity>({ subgraph }: PageContext, query: string): Promise<Page<Entity>> {
  const { data, errors } = await subgraph.execute({ query: `{ _meta { block { number hash } } ${query} }` })
  const { _meta: meta, entities } = (data ?? {}) as {
    readonly _meta?: { readonly block: IndexedBlock } | null
    readonly entities?: readonly Entity[]
  }
  if (meta && entities) return { block: meta.block, entities }
  const message = `The index cannot be read: ${errors?.map((error) => error.message).join(' ') ?? 'no data'}`
  throw new SubgraphError({ code: 'not_comparable', message })
}

export async function assertBlock(endpoint: RpcEndpoint, { number, hash }: IndexedBlock): Promise<void> {
  const found = await findBlock(endpoint, number)
  if (!found) throw new RpcError({ kind: 'behind', message: `does not have block ${number} yet` })
  if (found.hash === hash) return
  const message = `Block ${number} has the hash ${hash} in the index and ${found.hash} at ${endpoint.label}.`
  throw new RpcError({ kind: 'changed', message })
}

function cannotCompare({ number }: IndexedBlock, problem: string | undefined): SubgraphError {
  const message = `The state of block ${number} cannot be read. ${problem ?? 'No RPC returned a usable response.'}`
  return new SubgraphError({ code: 'not_comparable', message })
}
