import type { ApiSchema } from '../../schema/api-schema.ts'
import { type Layout, openEnd } from '../../store/layout.ts'
import { QueryError } from '../query-error.ts'
import type { Values } from '../request/coerce-arguments.ts'
import type { VariableSlot } from '../request/open-variables.ts'
import { nullValue } from '../request/value.ts'

/** Stands in the parameters for what is known only when the statement runs. */
export const parentIdsSlot = Symbol('the ids of the parents')
export const rowLimitSlot = Symbol('how many rows the request may still read')
export const blockSlot = Symbol('the number of the block that is looked at')

/** A statement whose text depends on the shape of the query alone: every value is a parameter. */
export type Statement = { readonly text: string; readonly parameters: readonly unknown[] }

/** Which versions are seen: the open ones, or those that were good at a block. */
export type Visibility = 'head' | 'block'

export type Scope = { readonly api: ApiSchema; readonly layout: Layout; readonly visibility: Visibility }

/** A scope with the parameters of the statement that is being written. */
export type StatementScope = Scope & { readonly parameters: Parameters }

export type Parameters = {
  readonly values: readonly unknown[]
  /** Adds a value and returns its placeholder. */
  add(value: unknown): string
}

// The protocol counts parameters in 16 bits; a filter that needs this many is none a person wrote.
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

/** The parameters of a statement for the variables of a request. */
export function fillSlots(parameters: readonly unknown[], variables: Values): readonly unknown[] {
  return parameters.map((parameter) => {
    if (typeof parameter !== 'object' || parameter === null || !('variable' in parameter)) return parameter
    const { variable, read } = parameter as VariableSlot
    return read(variables.get(variable) ?? nullValue)
  })
}

/**
 * The condition that a row is a visible version and fits a condition. For a past block it is written in two halves, the
 * versions still open and those closed since, each with the condition inside: so that a block near the head, which
 * clients pin to turn pages, is found by the indexes of the head and the few rows closed after it.
 */
export function visibleSql(
  { visibility, parameters }: StatementScope,
  { alias, condition }: { readonly alias: string; readonly condition: string },
): string {
  const [from, to] = [`${alias}."$from"`, `${alias}."$to"`]
  // The number is in the text, where PostgreSQL can match it with that of the partial indexes.
  if (visibility === 'head') return `${to} = ${openEnd} and (${condition})`
  const block = `${parameters.add(blockSlot)}::int4`
  const isOpen = `${to} = ${openEnd} and ${from} <= ${block} and (${condition})`
  const isClosedSince = `${to} < ${openEnd} and ${to} > ${block} and ${from} <= ${block} and (${condition})`
  return `((${isOpen}) or (${isClosedSince}))`
}
