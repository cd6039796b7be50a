/** Reason why a call was refused. */
type SubgraphErrorCode =
  | 'invalid_schema'
  | 'invalid_namespace'
  | 'schema_mismatch'
  | 'invalid_block'
  | 'invalid_change'
  | 'unmappable_log'
  | 'entities_lost'
  | 'range_too_large'
  | 'index_replaced'
  | 'rebuild_running'
  | 'rebuild_failed'
  | 'not_comparable'

export type SubgraphErrorOptions = {
  readonly code: SubgraphErrorCode
  readonly message: string
  readonly cause?: unknown
}

/** Error of a call that was refused before it changed anything. A retry with the same input fails again. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError' as const
  readonly code: SubgraphErrorCode
  readonly retryable = false

  constructor({ code, message, cause }: SubgraphErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
