import {
  type BlockLogs,
  createProtocolMapping,
  type EntityChange,
  type Mapping,
  SubgraphError,
} from '@tallystick/subgraph'
import { createMemory, rejectSignature, runOn } from '../../subgraph/test/protocol-logs.ts'
import { createHost, type HostOptions } from './host/create-host.ts'
import { isMappingFailure } from './host/mapping-error.ts'
import type { Deployment } from './load-subgraph.ts'

export type Comparison = {
  /** Applies a block to both mappings. Throws if they do not agree. */
  apply(block: BlockLogs): Promise<Outcome>
  /** Throws if the two stores differ, or if the blocks that were applied, mapped at once, have other changes. */
  finish(): Promise<void>
}

export type Outcome = {
  /** Messages of both mappings if they refused the block. It is unapplied then. */
  readonly refused: { readonly ours: string; readonly graph: string } | undefined
  readonly changes: readonly EntityChange[]
}

/**
 * Creates the comparison of the embedded subgraph's mapping with the one for The Graph, both with empty stores. The pool
 * has no code before the block `deployedAt`.
 */
export function compareMappings(
  { chain, subgraph }: Deployment,
  { deployedAt = 0, instances }: Pick<HostOptions, 'instances'> & { readonly deployedAt?: number } = {},
): Comparison {
  const denylisters = {
    positions: chain.denylisters.positions ?? undefined,
    dollar: chain.denylisters.dollar ?? undefined,
  }
  const mapping = createProtocolMapping({ pool: chain.pool, positions: chain.positions, denylisters })
  const memory = createMemory()
  const ours = new Map<string, EntityChange>()
  const hasCode = (account: string, block: number) => account !== chain.pool || block >= deployedAt
  const host = createHost({ ...subgraph, hasCode, instances })
  // A contract that does not name its signer, or that has no code, returns nothing.
  const run = runOn(({ params }) =>
    chain.signer === null || Number(params[1]) < deployedAt ? '0x' : rejectSignature(chain.signer),
  )
  const applied: BlockLogs[] = []
  const expected: (readonly EntityChange[])[] = []

  const mapBlocks = (blocks: readonly BlockLogs[], load: Parameters<Mapping['map']>[1]) =>
    mapping.map(blocks, load, run)
  return {
    apply: async (block) => {
      const left = await settle(async () => (await mapBlocks([block], memory.load))[0]!.changes)
      const right = await settle(async () => host.apply(block))
      if (left.failure !== undefined && right.failure !== undefined) {
        return { refused: { ours: left.failure, graph: right.failure }, changes: [] }
      }
      if (left.failure !== undefined || right.failure !== undefined) {
        const refusals = { ours: left.failure ?? 'applied', graph: right.failure ?? 'applied' }
        throw new Error(`One mapping refuses block ${block.block.number}: ${JSON.stringify(refusals)}`)
      }
      assertSame(`block ${block.block.number}`, left.changes, right.changes)
      memory.keep(left.changes)
      for (const change of left.changes) ours.set(keyOf(change), change)
      applied.push(block)
      expected.push(left.changes)
      return { refused: undefined, changes: left.changes }
    },
    finish: async () => {
      assertSame('the whole store', [...ours.values()], host.all())
      const atOnce = await mapBlocks(applied, async () => new Map())
      atOnce.forEach(({ block, changes }, index) => {
        assertSame(`block ${block.number} of a batch`, changes, expected[index]!)
      })
    },
  }
}

/** Applies blocks and compares after each one and at the end. Returns the outcomes. */
export async function compareHistory(
  comparison: Comparison,
  blocks: readonly BlockLogs[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const block of blocks) outcomes.push(await comparison.apply(block))
  await comparison.finish()
  return outcomes
}

type Settled = { readonly changes: readonly EntityChange[]; readonly failure: string | undefined }

/** Runs a mapping. Only its own refusals are failures. Faults of the test are thrown. */
async function settle(map: () => Promise<readonly EntityChange[]>): Promise<Settled> {
  try {
    return { changes: await map(), failure: undefined }
  } catch (error) {
    const isRefusal = error instanceof SubgraphError ? error.code === 'unmappable_log' : isMappingFailure(error)
    if (!isRefusal) throw error
    return { changes: [], failure: (error as Error).message }
  }
}

function assertSame(where: string, ours: readonly EntityChange[], graph: readonly EntityChange[]): void {
  const others = new Map(graph.map((change) => [keyOf(change), change]))
  if (ours.length === others.size && ours.every((change) => isSame(change, others.get(keyOf(change))))) return
  const [left, right] = [ours.map(format), graph.map(format)]
  const onlyLeft = left.filter((line) => !right.includes(line))
  const onlyRight = right.filter((line) => !left.includes(line))
  throw new Error([`The mappings differ in ${where}.`, 'ours:', ...onlyLeft, 'The Graph:', ...onlyRight].join('\n'))
}

function isSame({ set: left }: EntityChange, other: EntityChange | undefined): boolean {
  const right = other?.set
  if (!left || !right) return left === right
  const names = Object.keys(left)
  return names.length === Object.keys(right).length && names.every((name) => isEqual(left[name], right[name]))
}

/** Compares values in API form: scalars, nulls and lists. Both must be there. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === undefined || !Array.isArray(left) || !Array.isArray(right)) return left !== undefined && left === right
  return left.length === right.length && left.every((item, index) => isEqual(item, right[index]))
}

/** Returns a line with the fields of an entity in the order of their names. */
function format(change: EntityChange): string {
  const fields = Object.entries(change.set ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${keyOf(change)} ${change.set === null ? 'removed' : JSON.stringify(fields)}`
}

function keyOf({ entity, id }: EntityChange): string {
  return `${entity} ${id}`
}
