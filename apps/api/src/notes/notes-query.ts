import { maturityPattern, TallystickError } from '@tallystick/core'
import { quote } from '../quote.ts'
import type { NotesFilter } from './published-notes.ts'

/**
 * What a query string asks for. Strict: a chain id has one spelling, and a parameter we do not know is refused, because
 * an ignored `chainId` would answer with the notes of every chain.
 */
export function parseNotesQuery(
  query: Readonly<Record<string, unknown>>,
  { chainIds }: { readonly chainIds: readonly number[] },
): NotesFilter {
  for (const name of Object.keys(query)) {
    if (name !== 'chainid' && name !== 'maturity') {
      throw new TallystickError({
        code: 'invalid_parameter',
        message: `There is no query parameter ${quote(name)}. Use chainid and maturity.`,
        retryable: false,
      })
    }
  }
  return { chainId: parseChainId(query['chainid'], chainIds), tenors: parseTenors(query['maturity']) }
}

/** Throws `invalid_maturity` if a tenor asked for is not among those on offer. */
export function assertOffered(asked: readonly number[], offered: readonly number[]): void {
  const unknown = asked.filter((tenor) => !offered.includes(tenor))
  if (unknown.length > 0) throw invalidMaturity(unknown.join(','), `On offer: ${offered.join(', ')}.`)
}

/** The chain a `chainid` parameter names; undefined where there is none. */
export function parseChainId(value: unknown, chainIds: readonly number[]): number | undefined {
  if (value === undefined) return undefined
  const chainId = chainIds.find((id) => String(id) === value)
  if (chainId !== undefined) return chainId
  throw new TallystickError({
    code: 'invalid_chainid',
    message: `chainid ${quote(value)} is not supported. Supported: ${chainIds.join(', ')}. Leave it out for all of them.`,
    retryable: false,
    details: { supported: chainIds },
  })
}

function parseTenors(value: unknown): number[] | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !maturityPattern.test(value)) {
    throw invalidMaturity(value, 'Give days, comma separated, such as 7,14.')
  }
  return [...new Set(value.split(',').map(Number))].sort((a, b) => a - b)
}

function invalidMaturity(value: unknown, hint: string): TallystickError {
  return new TallystickError({
    code: 'invalid_maturity',
    message: `maturity ${quote(value)} is not on offer. ${hint}`,
    retryable: false,
  })
}
