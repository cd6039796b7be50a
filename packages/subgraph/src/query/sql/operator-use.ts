import type { FilterKey } from '../../schema/filter-keys.ts'
import type { Column } from '../../store/layout.ts'
import type { Value } from '../request/value.ts'
import type { Parameters } from './statement.ts'

export type OperatorKey = Extract<FilterKey, { kind: 'operator' }>

/** One operator of a `where` on a column: `expression` is the column as the statement names it. */
export type OperatorUse = {
  readonly key: OperatorKey
  readonly column: Column
  readonly expression: string
  readonly value: Value
  readonly parameters: Parameters
}
