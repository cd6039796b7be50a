import { isIPv6 } from 'node:net'

/**
 * Returns the group that limits count an address in: the /64 network of IPv6, which is the least a subscriber has, or the
 * whole IPv4 address. Text that is not an address is its own group.
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

/** Counts groups of 16 bits. An IPv4 address at the end has two. */
function countOf(text: string): number {
  return partsOf(text).length + (text.includes('.') ? 1 : 0)
}
