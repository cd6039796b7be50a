/** Difference between an entity of the index and the contracts, in a sentence. */
export type Difference = {
  readonly id: string
  readonly message: string
  /** Whether a later event was missed. Otherwise the entity was wrong from its beginning, or that is not known. */
  readonly isOutdated?: boolean | undefined
}
