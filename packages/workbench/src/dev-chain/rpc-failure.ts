/** A JSON-RPC error as it is sent to the caller. */
export class RpcFailure extends Error {
  override name = 'RpcFailure' as const
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Creates the error of a request whose parameters are wrong. */
export function invalidParams(message: string): RpcFailure {
  return new RpcFailure({ code: -32602, message })
}
