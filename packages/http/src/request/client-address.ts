import { isIP } from 'node:net'
import { createTrust } from '@tallystick/base'
import type { FastifyRequest } from 'fastify'
import { groupOfAddress } from './address-group.ts'

/** Returns the caller that limits count a request for: its IPv4 address or IPv6 /64 network. */
export type IdentifyCaller = (request: FastifyRequest) => string

export function createIdentifyCaller(trust: readonly string[]): IdentifyCaller {
  const addressOf = createRequestAddress(trust)
  return (request) => groupOfAddress(addressOf(request))
}

/** Creates the function that returns the client address of a request. */
export function createRequestAddress(trust: readonly string[]): (request: FastifyRequest) => string {
  const addressOf = createClientAddress(trust)
  return ({ headers, socket }) => {
    const forwardedFor = headers['x-forwarded-for']
    return addressOf({
      socketAddress: socket.remoteAddress ?? '',
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    })
  }
}

/**
 * Creates the function that returns a request's client address: that of the socket or, behind trusted proxies, the last
 * untrusted one in X-Forwarded-For. Each proxy appends the address it saw, so earlier ones may be forged.
 */
export function createClientAddress(
  trust: readonly string[],
): (request: { readonly socketAddress: string; readonly forwardedFor: string | undefined }) => string {
  const isTrusted = createTrust(trust)
  return ({ socketAddress, forwardedFor }) => {
    if (!isTrusted(socketAddress)) return socketAddress
    const entries = (forwardedFor ?? '').split(',').map((entry) => entry.trim())
    const forwarded = entries.filter((entry) => entry !== '').map(parseEntry)
    return forwarded.findLast((address) => !isTrusted(address)) ?? socketAddress
  }
}

/**
 * Returns the address of an entry without its port, which differs for each connection. Some proxies append it. Other text
 * is `unknown`: it is in no network, and all of it counts as one caller.
 */
function parseEntry(entry: string): string {
  const [, ipv6, ipv4 = entry] = /^(?:\[([^\]]*:[^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? []
  const address = ipv6 ?? ipv4
  return isIP(address) === 0 ? 'unknown' : address
}
