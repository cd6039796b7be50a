import type { Random } from './create-random.ts'
import type { EntityModel, FieldModel, QueryModel } from './query-model.ts'
import type { Samples } from './samples.ts'

export type GenerateOptions = {
  readonly model: QueryModel
  readonly samples: Samples
  readonly random: Random
  /** Block at which both sources are compared, as an argument: `{ hash: "0x…" }` or `{ number: 7 }`. */
  readonly block: string
  /** Range of the blocks that queries of the past ask for. */
  readonly past: { readonly from: number; readonly to: number }
}

const depthMax = 3
// The public endpoint allows 100,000 rows, and a list may be inside another one twice.
const firstOfNested = 5

/**
 * Generates a query that has one right result: every list has an order that ends with the id, and stays within the limits
 * of graph-node. `_change_block` is left out, because it tells when an entity was written, not what it contains.
 */
export function generateQuery(options: GenerateOptions): string {
  const { model, random } = options
  const count = random.chance(0.15) ? 2 : 1
  const roots = Array.from({ length: count }, (_, index) => {
    const entity = random.pick([...model.values()])
    return `${count > 1 ? `r${index}: ` : ''}${formatRoot(entity, options)}`
  })
  return `{ ${roots.join(' ')} }`
}

/** Returns the query of the first entities of one kind with all their values, from which samples are taken. */
export function formatSampleQuery({ plural, fields }: EntityModel, block: string): string {
  const selections = fields.flatMap(({ name, kind }) =>
    kind === 'entities' ? [] : kind === 'entity' ? `${name} { id }` : name,
  )
  return `{ ${plural}(first: 100, block: ${block}) { ${selections.join(' ')} } }`
}

function formatRoot(entity: EntityModel, options: GenerateOptions): string {
  const { random, samples, past } = options
  const isPast = past.from < past.to && random.chance(0.3)
  const block = isPast ? `{ number: ${random.integer(past.from, past.to)} }` : options.block
  if (random.chance(0.15)) {
    const id = random.chance(0.9) ? samples.pick(entity.name, 'id', random) : '0x00'
    return `${entity.singular}(id: ${JSON.stringify(String(id ?? '0x00'))}, block: ${block}) ${formatSelection(entity, { options, depth: 1 })}`
  }
  const list = formatArguments(entity, { options, isRoot: true })
  return `${entity.plural}(${[...list, `block: ${block}`].join(', ')}) ${formatSelection(entity, { options, depth: 1 })}`
}

/** Formats the arguments of a list. graph-node orders nested lists by their own fields only. */
function formatArguments(
  entity: EntityModel,
  { options, isRoot }: { readonly options: GenerateOptions; readonly isRoot: boolean },
): readonly string[] {
  const { random } = options
  const orderings = isRoot ? entity.orderings : entity.orderings.filter((ordering) => !ordering.includes('__'))
  const orderBy = random.chance(0.7) ? random.pick(orderings) : undefined
  const skip = random.chance(0.3) ? random.integer(0, random.chance(0.2) ? 200 : 10) : 0
  return [
    `first: ${random.integer(1, isRoot ? 40 : firstOfNested)}`,
    ...(skip > 0 ? [`skip: ${skip}`] : []),
    ...(orderBy === undefined ? [] : [`orderBy: ${orderBy}, orderDirection: ${random.pick(['asc', 'desc'])}`]),
    ...(random.chance(0.6) ? [`where: ${formatWhere(entity, options)}`] : []),
  ]
}

type SelectionOptions = { readonly options: GenerateOptions; readonly depth: number }

function formatSelection(entity: EntityModel, { options, depth }: SelectionOptions): string {
  const { random } = options
  const isChosen = ({ kind, name }: FieldModel) => {
    if (name === 'id') return true
    if (kind === 'scalar' || kind === 'scalars') return random.chance(0.6)
    return depth < depthMax && random.chance(kind === 'entity' ? 0.4 : 0.3)
  }
  const selections = entity.fields.filter(isChosen).map((field) => {
    const { name, kind, type } = field
    const inner = kind === 'entity' || kind === 'entities' ? options.model.get(type) : undefined
    if (!inner) return name
    const selection = formatSelection(inner, { options, depth: depth + 1 })
    if (kind === 'entity') return `${name} ${selection}`
    return `${name}(${formatArguments(inner, { options, isRoot: false }).join(', ')}) ${selection}`
  })
  return `{ ${random.chance(0.1) ? '__typename ' : ''}${selections.join(' ')} }`
}

/** Formats a `where` argument. Its values come from entities of the source, because random ones match nothing. */
function formatWhere(entity: EntityModel, options: GenerateOptions): string {
  const { random } = options
  const conditions = () => formatConditions(entity, { options, isChild: false })
  // graph-node rejects `and` and `or` beside the filter of a field.
  if (random.chance(0.2)) {
    const parts = Array.from({ length: random.integer(1, 3) }, conditions)
    return `{ ${random.pick(['and', 'or'])}: [${parts.join(', ')}] }`
  }
  return conditions()
}

type ConditionOptions = { readonly options: GenerateOptions; readonly isChild: boolean }

function formatConditions(entity: EntityModel, { options, isChild }: ConditionOptions): string {
  const { random } = options
  const conditions = new Map<string, string>()
  for (let count = random.integer(1, 3); count > 0; count -= 1) {
    const field = random.pick(entity.fields)
    const [key, value] = formatCondition(entity, { options, field, isChild }) ?? []
    if (key !== undefined && value !== undefined) conditions.set(key, value)
  }
  return `{ ${[...conditions].map(([key, value]) => `${key}: ${value}`).join(', ')} }`
}

function formatCondition(
  entity: EntityModel,
  { options, field, isChild }: ConditionOptions & { readonly field: FieldModel },
): readonly [string, string] | undefined {
  const { random, samples, model } = options
  const { name, kind, type } = field
  const child = kind === 'entity' || kind === 'entities' ? model.get(type) : undefined
  // graph-node allows one level of child filters.
  if (child && !isChild && (kind === 'entities' || random.chance(0.4))) {
    const conditions = formatConditions(child, { options, isChild: true })
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
