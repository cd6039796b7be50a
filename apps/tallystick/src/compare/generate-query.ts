import type { Random } from './create-random.ts'
import { formatWhere } from './generate-where.ts'
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
    return `${entity.singular}(id: ${JSON.stringify(String(id ?? '0x00'))}, block: ${block}) ${formatSelection(entity, { ...options, depth: 1 })}`
  }
  const list = formatArguments(entity, { ...options, isRoot: true })
  return `${entity.plural}(${[...list, `block: ${block}`].join(', ')}) ${formatSelection(entity, { ...options, depth: 1 })}`
}

/** Formats the arguments of a list. graph-node orders nested lists by their own fields only. */
function formatArguments(
  entity: EntityModel,
  { isRoot, ...options }: GenerateOptions & { readonly isRoot: boolean },
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

function formatSelection(entity: EntityModel, options: GenerateOptions & { readonly depth: number }): string {
  const { random, depth } = options
  const isChosen = ({ kind, name }: FieldModel) => {
    if (name === 'id') return true
    if (kind === 'scalar' || kind === 'scalars') return random.chance(0.6)
    return depth < depthMax && random.chance(kind === 'entity' ? 0.4 : 0.3)
  }
  const selections = entity.fields.filter(isChosen).map((field) => {
    const { name, kind, type } = field
    const inner = kind === 'entity' || kind === 'entities' ? options.model.get(type) : undefined
    if (!inner) return name
    const selection = formatSelection(inner, { ...options, depth: depth + 1 })
    if (kind === 'entity') return `${name} ${selection}`
    return `${name}(${formatArguments(inner, { ...options, isRoot: false }).join(', ')}) ${selection}`
  })
  return `{ ${random.chance(0.1) ? '__typename ' : ''}${selections.join(' ')} }`
}
