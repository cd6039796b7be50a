import { isIP } from 'node:net'
import { type AddressPolicy, AddressRefusedError } from './address-policy.ts'

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
