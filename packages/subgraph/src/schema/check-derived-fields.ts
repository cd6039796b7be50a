import { SubgraphError } from '../subgraph-error.ts'
import type { EntityModel } from './entity-model.ts'

/** Throws if the source of a `@derivedFrom` is not a stored reference to the entity. */
export function checkDerivedFields({ entities }: EntityModel): void {
  for (const entity of entities.values()) {
    for (const field of entity.fields) {
      if (field.kind !== 'derived') continue
      const back = entities.get(field.entity)?.fields.find((candidate) => candidate.name === field.from)
      if (back?.kind === 'stored' && back.type.kind === 'reference' && back.type.name === entity.name) continue
      throw new SubgraphError({
        code: 'invalid_schema',
        message: `${entity.name}.${field.name} is derived from ${field.entity}.${field.from}, which is not a stored reference to ${entity.name}.`,
      })
    }
  }
}
