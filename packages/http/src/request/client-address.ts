import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createTrust } from '@tallystick/base'
import { groupOfAddress } from './address-group.ts'

/** The parts of a request that name its client. */
export type Caller = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>
}

/** Returns the caller that limits count a request for: its IPv4 address or IPv6 /64 network. */
export type IdentifyCaller = (request: Caller) => string

export function createIdentifyCaller(trust: readonly string[]): IdentifyCaller {
  const addressOf = createRequestAddress(trust)
  return (request) => groupOfAddress(addressOf(request))
}

/**
 * Creates the function that returns a request's client address: that of the socket or, behind trusted proxies, the last
 * untrusted one in X-Forwarded-For. Each proxy appends the address it saw, so earlier ones may be forged.
 */
export function createRequestAddress(trust: readonly string[]): (request: Caller) => string {
  const isTrusted = createTrust(trust)
  return ({ headers, socket: { remoteAddress = '' } }) => {
    if (!isTrusted(remoteAddress)) return remoteAddress
    // Several headers are one list.
    const entries = String(headers['x-forwarded-for'] ?? '').split(',')
    const forwarded = entries.map((entry) => entry.trim()).filter((entry) => entry !== '')
    return forwarded.map(parseEntry).findLast((address) => !isTrusted(address)) ?? remoteAddress
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
