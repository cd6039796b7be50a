import type { FilterKey } from '../../schema/filter-keys.ts'
import type { Column } from '../../store/layout.ts'
import type { Value } from '../request/value.ts'
import type { Parameters } from './statement.ts'

export type OperatorKey = Extract<FilterKey, { kind: 'operator' }>

/** Operator of a `where` on a column. `expression` is the column in the statement. */
export type OperatorUse = {
  readonly key: OperatorKey
  readonly column: Column
  readonly expression: string
  readonly value: Value
  readonly parameters: Parameters
}
