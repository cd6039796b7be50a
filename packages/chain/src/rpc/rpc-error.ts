/**
 * Kind of an RPC failure. `refused`: the call asks for too much at once. `busy`: the server limits the rate. `behind`: the
 * server does not have a block yet. `changed`: a reorganization happened between two calls. `foreign`: the server serves
 * another chain. `disputed`: it contradicts blocks that count as final.
 */
export type RpcErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'busy'
  | 'malformed'
  | 'error'
  | 'refused'
  | 'behind'
  | 'changed'
  | 'foreign'
  | 'disputed'

/** Error of a call without a usable response. Every kind is transient and can be retried. */
export class RpcError extends Error {
  override readonly name = 'RpcError' as const
  readonly kind: RpcErrorKind
  /** Delay the server requested with Retry-After. */
  readonly retryAfterMs: number | undefined
  /** Status of a response that is not JSON-RPC. */
  readonly status: number | undefined
  /** Code and data of a JSON-RPC error. The data of a revert is the contract's error. */
  readonly code: number | undefined
  readonly data: unknown
  readonly retryable = true

  constructor({ kind, message, retryAfterMs, status, code, data, cause }: RpcErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.status = status
    this.code = code
    this.data = data
  }
}

type RpcErrorOptions = Pick<RpcError, 'kind' | 'message'> &
  Partial<Pick<RpcError, 'retryAfterMs' | 'status' | 'code' | 'data' | 'cause'>>
