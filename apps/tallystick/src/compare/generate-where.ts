import type { Random } from './create-random.ts'
import type { EntityModel, FieldModel, QueryModel } from './query-model.ts'
import type { Samples } from './samples.ts'

type WhereOptions = { readonly model: QueryModel; readonly samples: Samples; readonly random: Random }

/** Formats a `where` argument. Its values come from entities of the source, because random ones match nothing. */
export function formatWhere(entity: EntityModel, options: WhereOptions): string {
  const { random } = options
  // graph-node rejects `and` and `or` beside the filter of a field.
  if (random.chance(0.2)) {
    const parts = Array.from({ length: random.integer(1, 3) }, () => formatConditions(entity, options))
    return `{ ${random.pick(['and', 'or'])}: [${parts.join(', ')}] }`
  }
  return formatConditions(entity, options)
}

function formatConditions(entity: EntityModel, options: WhereOptions & { readonly isChild?: boolean }): string {
  const { random } = options
  const conditions = new Map<string, string>()
  for (let count = random.integer(1, 3); count > 0; count -= 1) {
    const field = random.pick(entity.fields)
    const [key, value] = formatCondition(entity, { ...options, field }) ?? []
    if (key !== undefined && value !== undefined) conditions.set(key, value)
  }
  return `{ ${[...conditions].map(([key, value]) => `${key}: ${value}`).join(', ')} }`
}

function formatCondition(
  entity: EntityModel,
  { field, isChild = false, ...options }: WhereOptions & { readonly field: FieldModel; readonly isChild?: boolean },
): readonly [string, string] | undefined {
  const { random, samples, model } = options
  const { name, kind, type } = field
  const child = kind === 'entity' || kind === 'entities' ? model.get(type) : undefined
  // graph-node allows one level of child filters.
  if (child && !isChild && (kind === 'entities' || random.chance(0.4))) {
    const conditions = formatConditions(child, { ...options, isChild: true })
    return conditions === '{  }' ? undefined : [`${name}_`, conditions]
  }
  if (kind === 'entities') return undefined
  if (field.isNullable && random.chance(0.15)) return [`${name}${random.pick(['', '_not'])}`, 'null']
  const suffix = random.pick(field.filters.filter((filter) => suffixesOf(field).includes(filter)))
  const sample = () => samples.pick(entity.name, name, random)
  const value = sample()
  if (value === undefined) return undefined
  const isMember = suffix === '_in' || suffix === '_not_in'
  if (isMember) return [`${name}${suffix}`, JSON.stringify([value, sample() ?? value])]
  return [
    `${name}${suffix}`,
    JSON.stringify(/_(contains|starts_with|ends_with)/.test(suffix) ? partOf(value, suffix, random) : value),
  ]
}

const comparisons = ['', '_not', '_in', '_not_in'] as const
const ordered = [...comparisons, '_gt', '_lt', '_gte', '_lte'] as const

/** Returns the filters that mean the same in graph-node and in the embedded subgraph for every value. */
function suffixesOf({ kind, type }: FieldModel): readonly string[] {
  if (kind === 'entity' || type === 'Boolean') return comparisons
  if (kind === 'scalars') return ['', '_contains', '_not_contains']
  if (type === 'Bytes') return [...ordered, '_contains', '_not_contains']
  if (type !== 'String') return ordered
  const texts = ['contains', 'starts_with', 'ends_with'].flatMap((name) => [`_${name}`, `_not_${name}`])
  return [...ordered, ...texts, ...texts.map((name) => `${name}_nocase`)]
}

/** Returns a part of a text or of bytes. A list is returned as it is. */
function partOf(value: unknown, suffix: string, random: Random): unknown {
  if (typeof value !== 'string') return value
  const isBytes = value.startsWith('0x')
  const text = isBytes ? value.slice(2) : value
  const step = isBytes ? 2 : 1
  const length = step * random.integer(1, Math.max(1, Math.min(4, text.length / step)))
  const start = suffix.includes('starts_with')
    ? 0
    : suffix.includes('ends_with')
      ? text.length - length
      : step * random.integer(0, Math.max(0, (text.length - length) / step))
  return `${isBytes ? '0x' : ''}${text.slice(Math.max(0, start), Math.max(0, start) + length)}`
}
