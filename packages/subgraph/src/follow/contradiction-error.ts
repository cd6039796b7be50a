import { SubgraphError } from '../subgraph-error.ts'
import type { Contradiction } from './mapping.ts'

/** Error of an event that cannot be applied because the index contradicts it. */
export class ContradictionError extends SubgraphError {
  readonly contradiction: Contradiction

  constructor(contradiction: Contradiction) {
    super({ code: 'unmappable_log', message: contradiction.message })
    this.contradiction = contradiction
  }
}
