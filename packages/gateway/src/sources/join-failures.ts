import { TallystickError } from '@tallystick/core'
import { type SubgraphSource, type UpstreamFailure, upstreamError } from '../chain-subgraph.ts'
import { failureOf } from '../remote/call-result.ts'

/** Failures of the sources of a chain, in the order in which they failed. */
export type SourceFailures = ReadonlyMap<SubgraphSource, TallystickError>

/**
 * Returns the error of a query that no source answered. If both failed, it says how each did. A source that rejects the
 * query after the other has failed may have another version of the schema, so the query may be retried.
 */
export function joinFailures(
  error: unknown,
  { failures, sources }: { readonly failures: SourceFailures; readonly sources: readonly SubgraphSource[] },
): unknown {
  if (!(error instanceof TallystickError)) return error
  const joined = new Map(failures)
  // A query that timed out ends before its source has failed.
  const unnamed = sources.find((source) => !joined.has(source))
  if (![...joined.values()].includes(error) && unnamed) joined.set(unnamed, error)
  if (joined.size < 2) return error
  const waits = [...joined.values()].flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
  const texts = [...joined].map(([source, { message }]) => `${names[source]}: ${message}`)
  return upstreamError({
    failure: chooseFailure([...joined.values()].flatMap((one) => failureOf(one) ?? [])),
    message: `Both subgraphs of the chain failed. ${texts.join(' ')}`,
    retryAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    cause: error,
  })
}

const names = { embedded: 'Embedded', remote: 'Remote' } as const

/** Returns a timeout only if every source timed out. */
function chooseFailure(failures: readonly UpstreamFailure[]): UpstreamFailure {
  return failures.find((failure) => !failure.startsWith('slow_')) ?? failures[0] ?? 'internal'
}
