import { isIPv6 } from 'node:net'

/**
 * Returns what counts as one address: an IPv4 address, or the /64 of an IPv6 one, because a host has all the addresses of
 * its /64. A dual-stack socket reports IPv4 peers as ::ffff:a.b.c.d.
 */
export function addressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [before = '', after] = plain.split('::')
  const head = groupsOf(before)
  const tail = groupsOf(after ?? '')
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...new Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':').toLowerCase()
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
