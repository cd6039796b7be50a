import type { FastifyRequest } from 'fastify'
import { groupOfAddress } from './address-group.ts'
import { createTrust } from './trust.ts'

/** Names who a request is from, as limits count: by the address, of IPv6 by its network of 64 bits. */
export type NameCaller = (request: FastifyRequest) => string

export function createNameCaller(trust: readonly string[]): NameCaller {
  const addressOf = createClientAddress(trust)
  return ({ headers, socket }) => {
    const forwardedFor = headers['x-forwarded-for']
    const address = addressOf({
      socketAddress: socket.remoteAddress ?? '',
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    })
    return groupOfAddress(address)
  }
}

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
