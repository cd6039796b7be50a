import { createTrust } from './trust.ts'

/**
 * Who a request is from: the socket's address, or, where that is a trusted proxy's, the last address in X-Forwarded-For
 * that is not (each proxy appends the one it saw, so what stands before that one is anybody's claim).
 */
export function createClientAddress(
  trust: readonly string[],
): (request: { readonly socketAddress: string; readonly forwardedFor: string | undefined }) => string {
  const isTrusted = createTrust(trust)
  return ({ socketAddress, forwardedFor }) => {
    if (!isTrusted(socketAddress)) return socketAddress
    const forwarded = (forwardedFor ?? '').split(',').map((address) => address.trim())
    return forwarded.findLast((address) => address !== '' && !isTrusted(address)) ?? socketAddress
  }
}
