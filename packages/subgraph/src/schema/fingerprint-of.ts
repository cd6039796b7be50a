import type { EntityModel } from './entity-model.ts'

/** Returns a text that is equal for equivalent schemas. Comments and the order of types and fields do not count. */
export function fingerprintOf({ entities, enums }: EntityModel): string {
  return JSON.stringify({
    entities: [...entities.values()].sort(byName).map((entity) => ({
      name: entity.name,
      fields: entity.fields.map(({ description: _, ...field }) => field).sort(byName),
    })),
    enums: [...enums.values()].sort(byName),
  })
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
