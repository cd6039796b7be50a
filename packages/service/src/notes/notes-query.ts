import { quote } from '@tallystick/base'
import { maturityPattern, TallystickError } from '@tallystick/core'
import { assertParameters, refusal } from '@tallystick/http'
import type { NotesFilter } from '@tallystick/issuer'

/**
 * Parses the query string. Strict: a chain id has one spelling, and an unknown parameter is rejected, because ignoring a
 * misspelled `chainId` would return the notes of every chain.
 */
export function parseNotesQuery(
  query: Readonly<Record<string, unknown>>,
  { chainIds }: { readonly chainIds: readonly number[] },
): NotesFilter {
  assertParameters(query, ['chainid', 'maturity'])
  return { chainId: parseChainId(query['chainid'], chainIds), tenors: parseTenors(query['maturity']) }
}

/** Throws `invalid_maturity` if a requested tenor is not among those that the service offers in principle. */
export function assertKnownTenors(requested: readonly number[], known: readonly number[]): void {
  const unknown = requested.filter((tenor) => !known.includes(tenor))
  if (unknown.length > 0) throw invalidMaturity(unknown.join(','), `Available: ${known.join(', ')}.`)
}

/** Parses the `chainid` parameter. Returns undefined if it is absent. */
export function parseChainId(value: unknown, chainIds: readonly number[]): number | undefined {
  if (value === undefined) return undefined
  const chainId = chainIds.find((id) => String(id) === value)
  if (chainId !== undefined) return chainId
  throw new TallystickError({
    code: 'invalid_chainid',
    message: `chainid ${quote(value)} is not supported. Supported: ${chainIds.join(', ')}. Omit it for all chains.`,
    retryable: false,
    details: { supported: chainIds },
  })
}

/** Parses the `maturity` parameter. Returns undefined if it is absent. */
export function parseTenors(value: unknown): number[] | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !maturityPattern.test(value)) {
    throw invalidMaturity(value, 'Use days separated by commas, such as 7,14.')
  }
  return [...new Set(value.split(',').map(Number))].sort((a, b) => a - b)
}

function invalidMaturity(value: unknown, hint: string): TallystickError {
  return refusal('invalid_maturity', `maturity ${quote(value)} is not available. ${hint}`)
}
