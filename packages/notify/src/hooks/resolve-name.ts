import { Resolver } from 'node:dns/promises'

/** Returns the addresses of a name, at least one. */
export type ResolveName = (name: string) => Promise<readonly string[]>

/** The name has no address, or no name server responds. */
export class NoAddressError extends Error {
  override readonly name = 'NoAddressError' as const
}

// The whole search must end within the time limit of a connection, so that its failure is named.
const resolverOptions = { timeout: 1_500, tries: 2, maxTimeout: 2_000 }
// Answers of a name server that says that there is no such address.
const noAddress = ['ENOTFOUND', 'ENODATA']

/**
 * Creates a function that asks DNS. `dns.lookup` would occupy one of Node's four threads for as long as a name server does
 * not respond, and the signer journal is written on these.
 *
 * @param servers Name servers, those of the system by default.
 */
export function createResolveName({
  servers,
  ...options
}: {
  readonly servers?: readonly string[] | undefined
  readonly timeout?: number | undefined
} = {}): ResolveName {
  return async (name) => {
    const resolver = new Resolver({ ...resolverOptions, ...options })
    if (servers) resolver.setServers(servers)
    const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (found.length > 0) return found
    const codes = results.flatMap((result) => (result.status === 'rejected' ? String(result.reason.code) : []))
    const problem = codes.find((code) => !noAddress.includes(code))
    if (problem === undefined) throw new NoAddressError(`the name ${name} has no address in DNS`)
    throw new NoAddressError(`the name ${name} cannot be resolved: DNS failed (${problem})`)
  }
}
