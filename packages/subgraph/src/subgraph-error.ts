/** What the library can refuse: the SDL, the namespace it is opened on, a block, a change, or a log. */
export type SubgraphErrorCode =
  | 'invalid_schema'
  | 'invalid_namespace'
  | 'schema_mismatch'
  | 'invalid_block'
  | 'invalid_change'
  | 'unmappable_log'

export type SubgraphErrorOptions = {
  readonly code: SubgraphErrorCode
  readonly message: string
  readonly cause?: unknown
}

/** A call the subgraph refused before it changed anything. Trying again with the same input fails the same way. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError' as const
  readonly code: SubgraphErrorCode
  readonly retryable = false

  constructor({ code, message, cause }: SubgraphErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
