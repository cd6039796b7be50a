import type { Wallet } from './look-up-wallet.ts'

/** State of the lookup of an owner. */
export type Lookup =
  | { readonly status: 'idle' }
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'unresolved'; readonly name: string; readonly problem: string }
  | {
      readonly status: 'found'
      readonly wallet: Wallet
      readonly name: string | undefined
      /** Why the report could not be looked up again. */
      readonly refreshError?: unknown
    }

/**
 * Returns the state after a report was looked up again. If that failed, the last report stays and has the error: what is
 * shown with it, such as a claim that was paid, does not depend on the lookup.
 */
export function keepReport(known: Lookup, outcome: Lookup): Lookup {
  const error = findError(known, outcome)
  if (known.status !== 'found' || error === undefined) return outcome
  return { ...known, wallet: { ...known.wallet }, refreshError: error }
}

function findError(known: Lookup, outcome: Lookup): unknown {
  if (outcome.status === 'failed') return outcome.error
  if (outcome.status === 'unresolved') return new Error(outcome.problem)
  if (outcome.status !== 'found' || known.status !== 'found') return undefined
  // The positions of a chain that fails now would be missing.
  const failed = outcome.wallet.failures.find(
    ({ chain }) => !known.wallet.failures.some((before) => before.chain === chain),
  )
  return failed && new Error(`Chain ${failed.chain} failed. ${failed.message}`)
}
