import type { Queryable } from '@tallystick/database'
import { parseScalar } from '../../schema/parse-scalar.ts'
import type { Block } from '../../store/block.ts'
import type { Layout } from '../../store/layout.ts'
import { findBlockByHash, readEarliestNumber } from '../../store/read-block.ts'
import { QueryError } from '../query-error.ts'
import { invalidArgument } from '../request/coerce-arguments.ts'
import type { Value } from '../request/value.ts'
import type { Visibility } from '../sql/statement.ts'

export type BlockConstraint =
  | { readonly kind: 'latest' }
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'number' | 'number_gte'; readonly number: number }

/** The block a part of the answer is from. A bare number says nothing of the hash and what hangs on it. */
export type ResolvedBlock = {
  readonly visibility: Visibility
  readonly number: number
  readonly block: Block | undefined
}

/** Reads a `block` argument: of several keys hash counts before number, number before number_gte. */
export function parseBlockConstraint(value: Value): BlockConstraint {
  if (value.kind !== 'Object') return { kind: 'latest' }
  const hash = value.entries.get('hash')
  if (hash) {
    const parsed = hash.kind === 'String' ? parseScalar('Bytes', hash.text) : { fault: 'null' }
    if ('fault' in parsed) throw invalidArgument('block', { value })
    return { kind: 'hash', hash: `0x${parsed.text.slice(2)}` }
  }
  for (const kind of ['number', 'number_gte'] as const) {
    const number = value.entries.get(kind)
    if (number?.kind === 'Int') return { kind, number: Number(number.text) }
    if (number) break
  }
  throw invalidArgument('block', { value })
}

export async function resolveBlock(
  queryable: Queryable,
  {
    layout,
    deployment,
    head,
    constraint,
  }: {
    readonly layout: Layout
    readonly deployment: string
    readonly head: Block
    readonly constraint: BlockConstraint
  },
): Promise<ResolvedBlock> {
  const atHead: ResolvedBlock = { visibility: { kind: 'head' }, number: head.number, block: head }
  const refuseAbove = (name: string, number: number) => {
    if (number <= head.number) return
    throw undecodable(
      name,
      `subgraph ${deployment} has only indexed up to block number ${head.number} and data for block number ${number} is therefore not yet available`,
    )
  }
  if (constraint.kind === 'latest') return atHead
  if (constraint.kind === 'number_gte') {
    refuseAbove('number_gte', constraint.number)
    return atHead
  }
  if (constraint.kind === 'hash') {
    const block = await findBlockByHash(queryable, { layout, hash: constraint.hash })
    if (!block) throw undecodable('hash', 'no block with that hash found')
    return { visibility: visibilityAt(block.number, head), number: block.number, block }
  }
  const { number } = constraint
  refuseAbove('number', number)
  const earliest = (await readEarliestNumber(queryable, layout)) ?? head.number
  if (number < earliest) {
    throw undecodable(
      'number',
      `subgraph ${deployment} only has data starting at block number ${earliest} and data for block number ${number} is therefore not available`,
    )
  }
  return { visibility: visibilityAt(number, head), number, block: undefined }
}

function visibilityAt(number: number, head: Block): Visibility {
  return number === head.number ? { kind: 'head' } : { kind: 'block', number }
}

function undecodable(name: string, fault: string): QueryError {
  return new QueryError(`Failed to decode \`block.${name}\` value: \`${fault}\``)
}
