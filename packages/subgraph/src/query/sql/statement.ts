import type { ApiSchema } from '../../schema/api-schema.ts'
import { type Layout, openEnd } from '../../store/layout.ts'
import { QueryError } from '../query-error.ts'
import type { Values } from '../request/coerce-arguments.ts'
import type { VariableSlot } from '../request/open-variables.ts'
import { nullValue } from '../request/value.ts'

/** Placeholders for parameters that are known only when the statement runs. */
export const parentIdsSlot = Symbol('ids of the parents')
export const rowLimitSlot = Symbol('remaining rows of the query')
export const blockSlot = Symbol('block number')

/** Statement whose text depends only on the shape of the query. Every value is a parameter. */
export type Statement = { readonly text: string; readonly parameters: readonly unknown[] }

/** Versions that a statement reads: the open ones, or those valid at a block. */
export type Visibility = 'head' | 'block'

export type Scope = { readonly api: ApiSchema; readonly layout: Layout; readonly visibility: Visibility }

/** Scope with the parameters of the statement that is being compiled. */
export type StatementScope = Scope & { readonly parameters: Parameters }

export type Parameters = {
  readonly values: readonly unknown[]
  /** Adds a value and returns its placeholder. */
  add(value: unknown): string
}

// PostgreSQL's protocol allows 65,535 parameters.
const parametersMax = 5_000

export function createParameters(): Parameters {
  const values: unknown[] = []
  return {
    values,
    add: (value) => {
      if (values.length >= parametersMax) throw new QueryError(`A filter has more than ${parametersMax} values.`)
      const known = typeof value === 'symbol' ? values.indexOf(value) : -1
      return `$${known === -1 ? values.push(value) : known + 1}`
    },
  }
}

/** Returns the parameters of a statement for the variables of a request. */
export function fillSlots(parameters: readonly unknown[], variables: Values): readonly unknown[] {
  return parameters.map((parameter) => {
    if (typeof parameter !== 'object' || parameter === null || !('variable' in parameter)) return parameter
    const { variable, read } = parameter as VariableSlot
    return read(variables.get(variable) ?? nullValue)
  })
}

/**
 * Returns the condition that a row is a visible version and matches `condition`. For a past block it has two halves, each
 * with the condition: versions that are still open, and versions closed since. A block near the head, which clients use to
 * read pages, is then found by the indexes of the head and the few versions closed since.
 */
export function visibleSql(
  { visibility, parameters }: StatementScope,
  { alias, condition }: { readonly alias: string; readonly condition: string },
): string {
  const [from, to] = [`${alias}."$from"`, `${alias}."$to"`]
  // A literal, so that PostgreSQL can match it with the condition of the partial indexes.
  if (visibility === 'head') return `${to} = ${openEnd} and (${condition})`
  const block = `${parameters.add(blockSlot)}::int4`
  const isOpen = `${to} = ${openEnd} and ${from} <= ${block} and (${condition})`
  const isClosedSince = `${to} < ${openEnd} and ${to} > ${block} and ${from} <= ${block} and (${condition})`
  return `((${isOpen}) or (${isClosedSince}))`
}
