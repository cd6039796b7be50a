import type { Queryable } from '@tallystick/database'
import type { Block } from '../../store/block.ts'
import { findBlockByHash, findFirstBlock, type Layout } from '../../store/layout.ts'
import type { BlockConstraint } from '../plan/plan-query.ts'
import { QueryError, type QueryErrorCode } from '../query-error.ts'
import type { Visibility } from '../sql/statement.ts'

/** Block that a root field is answered at. */
export type ResolvedBlock = {
  readonly visibility: Visibility
  readonly number: number
  /** Undefined for a constraint by number, below the head or at it: `_meta` then shows neither hash nor timestamp. */
  readonly block: Block | undefined
}

export type BlockOptions = {
  readonly layout: Layout
  readonly deployment: string
  readonly head: Block
  readonly constraint: BlockConstraint
}

/** Finds the block of a constraint. Throws a `QueryError` if the store does not have it. */
export async function resolveBlock(
  queryable: Queryable,
  { layout, deployment, head, constraint }: BlockOptions,
): Promise<ResolvedBlock> {
  if (constraint.kind === 'latest') return resolveHead(head)
  if (constraint.kind === 'hash') {
    const block = await findBlockByHash(queryable, { layout, hash: constraint.hash })
    if (!block) throw undecodable('hash', 'no block with that hash found')
    return { visibility: visibilityAt(block.number, head), number: block.number, block }
  }
  const { kind, number } = constraint
  if (number > head.number) {
    const fault = `subgraph ${deployment} has only indexed up to block number ${head.number} and data for block number ${number} is therefore not yet available`
    throw undecodable(kind, fault, 'block_not_indexed')
  }
  if (kind === 'number_gte') return resolveHead(head)
  const earliest = (await findFirstBlock(queryable, layout))?.number ?? head.number
  if (number < earliest) {
    const fault = `subgraph ${deployment} only has data starting at block number ${earliest} and data for block number ${number} is therefore not available`
    throw undecodable(kind, fault)
  }
  return { visibility: visibilityAt(number, head), number, block: undefined }
}

function resolveHead(head: Block): ResolvedBlock {
  return { visibility: 'head', number: head.number, block: head }
}

function visibilityAt(number: number, head: Block): Visibility {
  return number === head.number ? 'head' : 'block'
}

function undecodable(name: string, fault: string, code?: QueryErrorCode): QueryError {
  return new QueryError(`Failed to decode \`block.${name}\` value: \`${fault}\``, { code })
}
