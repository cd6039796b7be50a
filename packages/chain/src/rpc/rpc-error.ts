/**
 * What an RPC did wrong. `refused`: it does not want to do so much in one call. `busy`: it asks to be left alone for a
 * while. `behind`: it does not have a block yet. `changed`: its chain was another one between two answers.
 */
export type RpcErrorKind = 'unreachable' | 'timeout' | 'busy' | 'garbage' | 'error' | 'refused' | 'behind' | 'changed'

export type RpcErrorOptions = {
  readonly kind: RpcErrorKind
  readonly message: string
  /** How long the RPC asked to be left alone. */
  readonly retryAfterMs?: number | undefined
  /** Of an error the server answered with: its code and what it sent along, which for a revert is the contract's reason. */
  readonly code?: number | undefined
  readonly data?: unknown
  readonly cause?: unknown
}

/** A call that got no usable answer. All of them pass sooner or later, so all can be tried again. */
export class RpcError extends Error {
  override readonly name = 'RpcError' as const
  readonly kind: RpcErrorKind
  readonly retryAfterMs: number | undefined
  readonly code: number | undefined
  readonly data: unknown
  readonly retryable = true

  constructor({ kind, message, retryAfterMs, code, data, cause }: RpcErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.code = code
    this.data = data
  }
}
