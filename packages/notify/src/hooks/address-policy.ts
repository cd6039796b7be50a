import { BlockList, isIP, isIPv6 } from 'node:net'
import { createTrust } from '@tallystick/base'

/** Decides to which addresses webhooks are sent. */
export type AddressPolicy = {
  /** Whether any network was allowed, and with it plain HTTP. */
  readonly allowsPrivate: boolean
  /** Throws if no request may be sent to an address. `name` is the name that resolves to it. */
  assertAllowed(address: string, options: { readonly name?: string | undefined; readonly isEncrypted: boolean }): void
}

// Special-purpose addresses (IANA registries, RFC 6890) and multicast. Requests to them reach this machine, its network or
// its cloud provider (169.254.169.254), not a receiver on the internet.
const specialNetworks: readonly (readonly [network: string, kind: string])[] = [
  ['0.0.0.0/8', 'an unspecified address'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'a shared address of a provider’s network'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'a reserved address'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.88.99.0/24', 'a reserved address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'a benchmarking address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
  ['::1/128', 'a loopback address'],
  ['::ffff:0:0/96', 'an IPv4-mapped address'],
  ['64:ff9b::/96', 'a NAT64 address'],
  ['64:ff9b:1::/48', 'a NAT64 address'],
  ['2001::/23', 'a reserved address'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation address'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['ff00::/8', 'a multicast address'],
]
// Every public IPv6 address is in here.
const globalUnicast = createTrust(['2000::/3'])

const kinds = specialNetworks.map(([network, kind]) => ({ kind, contains: createContains(network) }))

/** Creates the policy of a configuration. `allowPrivate` lists networks that are allowed although they are not public. */
export function createAddressPolicy({ allowPrivate }: { readonly allowPrivate: readonly string[] }): AddressPolicy {
  const isAllowed = createTrust(allowPrivate)
  return {
    allowsPrivate: allowPrivate.length > 0,
    assertAllowed: (address, { name, isEncrypted }) => {
      if (isAllowed(address)) return
      const subject = name === undefined ? address : `the name ${name} resolves to ${address}`
      const kind = findSpecialKind(address)
      if (kind !== undefined) {
        const found = name === undefined ? `${subject} is ${kind}` : `${subject}, ${kind}`
        throw new AddressRefusedError(`${found}; webhooks are sent to public addresses only. ${advice}`)
      }
      if (!isEncrypted)
        throw new AddressRefusedError(`${subject}; plain http is only for networks in hooks.allowPrivate`)
    },
  }
}

const advice = 'If the receiver is there on purpose, add its network to hooks.allowPrivate in the configuration'

/** Returns what kind of special address it is, or undefined if it is public. */
export function findSpecialKind(address: string): string | undefined {
  // A zone, as in fe80::1%eth0, is not part of the address.
  const plain = address.replace(/%.*$/s, '')
  if (isIP(plain) === 0) return 'not an IP address'
  const special = kinds.find(({ contains }) => contains(plain))
  if (special) return special.kind
  return isIPv6(plain) && !globalUnicast(plain) ? 'a reserved address' : undefined
}

/** Refusal to send to an address. Its message names the address and the remedy, never the URL. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError' as const
}

/** Unlike `createTrust` this does not treat ::ffff:a.b.c.d as the IPv4 address. */
function createContains(network: string): (address: string) => boolean {
  const [base = '', prefix] = network.split('/')
  const family = isIPv6(base) ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(base, Number(prefix), family)
  return (address) => (isIPv6(address) ? 'ipv6' : 'ipv4') === family && list.check(address, family)
}

const lengthMax = 2_000

/** Returns why a URL cannot be the receiver of a hook, or undefined if it can. Never quotes it: it may contain a token. */
export function findUrlFault(text: string, policy: AddressPolicy): string | undefined {
  if (text.length > lengthMax) return `must have at most ${lengthMax} characters`
  if (!URL.canParse(text)) return 'must be a URL such as https://receiver.example/hooks'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
  if (url.protocol === 'http:' && !policy.allowsPrivate) return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  try {
    assertLiteralAllowed(url, policy)
    return undefined
  } catch (error) {
    if (error instanceof AddressRefusedError) return error.message
    throw error
  }
}

/**
 * Throws if the host of a URL is an address that is not allowed. The socket looks names up, but not addresses. `URL` writes
 * every form of an IPv4 address (decimal, hex, octal, short) as a.b.c.d and rejects zones.
 */
export function assertLiteralAllowed(url: URL, policy: AddressPolicy): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) policy.assertAllowed(host, { isEncrypted: url.protocol === 'https:' })
}
