import type { Random } from './create-random.ts'
import type { EntityModel } from './query-model.ts'

/** Values of entities, by entity and field. */
export type Samples = ReturnType<typeof createSamples>

// Enough for filters that match some entities and not all.
const perFieldMax = 100
const valueLengthMax = 200

/** Creates an empty, bounded collection. It ignores rows that have another form: a source may return anything. */
export function createSamples() {
  const values = new Map<string, unknown[]>()
  return {
    add: (entity: EntityModel, rows: unknown) => {
      if (!Array.isArray(rows)) return
      for (const row of rows.slice(0, perFieldMax)) {
        for (const { name, kind } of entity.fields) {
          const value = readValue((row as Readonly<Record<string, unknown>> | null)?.[name], kind === 'entity')
          const known = values.get(`${entity.name}.${name}`) ?? []
          if (value !== undefined && known.length < perFieldMax) values.set(`${entity.name}.${name}`, [...known, value])
        }
      }
    },
    /** Returns a value of a field that is not null, or undefined if none is known. */
    pick: (entity: string, field: string, random: Random) => {
      const known = values.get(`${entity}.${field}`)
      return known && random.pick(known)
    },
  }
}

function readValue(value: unknown, isReference: boolean): unknown {
  const read = isReference ? (value as { readonly id?: unknown } | null)?.id : value
  if (typeof read === 'string') return read.length <= valueLengthMax ? read : undefined
  if (typeof read === 'boolean' || Number.isSafeInteger(read)) return read
  if (!Array.isArray(read) || read.length > 10) return undefined
  return read.every((one) => typeof one === 'string' && one.length <= valueLengthMax) ? read : undefined
}
