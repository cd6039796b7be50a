import type { ApiSchema } from '../schema/api-schema.ts'
import { type Layout, openEnd } from '../store/layout.ts'

/** Stands in the parameters for what is known only when the statement runs. */
export const parentIdsSlot = Symbol('the ids of the parents')
export const rowLimitSlot = Symbol('how many rows the request may still read')
export const blockSlot = Symbol('the number of the block that is looked at')

/** A statement whose text depends on the shape of the query alone: every value is a parameter. */
export type Statement = { readonly text: string; readonly parameters: readonly unknown[] }

/** Which versions are seen: the open ones, or those that were good at a block. */
export type Visibility = { readonly kind: 'head' } | { readonly kind: 'block'; readonly number: number }

export type Scope = { readonly api: ApiSchema; readonly layout: Layout; readonly visibility: Visibility }

/** A scope with the parameters of the statement that is being written. */
export type StatementScope = Scope & { readonly parameters: Parameters }

export type Parameters = {
  readonly values: readonly unknown[]
  /** Adds a value and returns its placeholder. */
  add(value: unknown): string
}

export function createParameters(): Parameters {
  const values: unknown[] = []
  return {
    values,
    add: (value) => {
      const known = typeof value === 'symbol' ? values.indexOf(value) : -1
      return `$${known === -1 ? values.push(value) : known + 1}`
    },
  }
}

/** The condition that a row of a table is a visible version. The number of the head is in the text for its indexes. */
export function visibleSql({ visibility, parameters }: StatementScope, alias: string): string {
  if (visibility.kind === 'head') return `${alias}."$to" = ${openEnd}`
  const block = `${parameters.add(blockSlot)}::int4`
  return `${alias}."$from" <= ${block} and ${alias}."$to" > ${block}`
}
