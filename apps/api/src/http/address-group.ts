import { isIPv6 } from 'node:net'

/**
 * The name under which an address is counted: of IPv6 its first 64 bits, which are what one subscriber has at least, of IPv4 the
 * whole. Whatever is no address is its own name.
 */
export function groupOfAddress(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  // A dual-stack socket reports IPv4 peers as ::ffff:a.b.c.d.
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? []
  if (mapped !== undefined) return mapped
  const [before = '', after] = plain.split('::')
  const parts = partsOf(before)
  if (after !== undefined) parts.push(...Array(8 - parts.length - countOf(after)).fill('0'), ...partsOf(after))
  const network = parts.slice(0, 4).map((part) => Number.parseInt(part, 16).toString(16))
  return `${network.join(':')}::/64`
}

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

/** In groups of 16 bits; an IPv4 address at the end is two of them. */
function countOf(text: string): number {
  return partsOf(text).length + (text.includes('.') ? 1 : 0)
}
