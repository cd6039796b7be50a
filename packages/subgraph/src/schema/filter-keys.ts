import type { Entity, Field, StoredField, StoredType } from './entity-model.ts'

const comparisons = ['', 'not', 'gt', 'lt', 'gte', 'lte', 'in', 'not_in'] as const
const patterns = [
  'contains',
  'contains_nocase',
  'not_contains',
  'not_contains_nocase',
  'starts_with',
  'starts_with_nocase',
  'not_starts_with',
  'not_starts_with_nocase',
  'ends_with',
  'ends_with_nocase',
  'not_ends_with',
  'not_ends_with_nocase',
] as const

export type FilterOperator = (typeof comparisons)[number] | (typeof patterns)[number]

/** Key of a `where` object: an operator on a field, or (`child`) a filter on the field's target. */
export type FilterKey =
  | {
      readonly kind: 'operator'
      readonly key: string
      readonly field: StoredField
      readonly operator: FilterOperator
      readonly operandType: string
    }
  | { readonly kind: 'child'; readonly key: string; readonly field: Field; readonly operandType: string }

/** Returns the keys of `X_filter` without `_change_block`, `and` and `or`, in the order of introspection. */
export function filterKeysOf(entity: Entity): readonly FilterKey[] {
  return entity.fields.flatMap((field) => {
    const child = childKey(field)
    return [...(field.kind === 'stored' ? operatorKeys(field) : []), ...(child ? [child] : [])]
  })
}

function operatorKeys(field: StoredField): FilterKey[] {
  const operand = operandTypeOf(field.type)
  return operatorsOf(field).map((operator) => {
    const takesList = field.isList || operator === 'in' || operator === 'not_in'
    return {
      kind: 'operator',
      key: operator === '' ? field.name : `${field.name}_${operator}`,
      field,
      operator,
      operandType: takesList ? `[${operand}!]` : operand,
    }
  })
}

function childKey(field: Field): FilterKey | undefined {
  const target = field.kind === 'derived' ? field.entity : field.type.kind === 'reference' ? field.type.name : undefined
  if (target === undefined) return undefined
  return { kind: 'child', key: `${field.name}_`, field, operandType: `${target}_filter` }
}

/** graph-node takes the id of a reference as String, or as Int if it is an Int8. */
function operandTypeOf(type: StoredType): string {
  if (type.kind !== 'reference') return type.name
  return type.id === 'Int8' ? 'Int' : 'String'
}

function operatorsOf({ type, isList }: StoredField): readonly FilterOperator[] {
  if (isList) return listOperatorsOf(type)
  if (type.kind === 'enum') return ['', 'not', 'in', 'not_in']
  const operand = operandTypeOf(type)
  if (operand === 'Boolean') return ['', 'not', 'in', 'not_in']
  if (operand === 'String') return [...comparisons, ...patterns]
  if (operand === 'Bytes') return [...comparisons, 'contains', 'not_contains']
  return comparisons
}

function listOperatorsOf(type: StoredType): readonly FilterOperator[] {
  const isText = type.kind === 'reference' ? type.id === 'ID' || type.id === 'String' : type.name === 'String'
  return isText
    ? ['', 'not', 'contains', 'contains_nocase', 'not_contains', 'not_contains_nocase']
    : ['', 'not', 'contains', 'not_contains']
}
