import type { TallystickError } from '@tallystick/core'
import type { ChainResult, Head, SubgraphSource } from '@tallystick/gateway'

/** Formats the body of an answer. `data` is already JSON text and is not serialised again. */
export function encodeResults(results: readonly ChainResult[]): string {
  return `[${results.map(encodeResult).join(',')}]`
}

/** Converts a failure to an element of `errors`. */
export function toEntry({ message, code, details }: TallystickError) {
  return { message, code, ...(details && { details }) }
}

function encodeResult({ chain, answer, failure }: ChainResult): string {
  if (failure) return JSON.stringify({ chain, data: null, errors: [toEntry(failure)] })
  if (answer.errors.length === 0) return `{"chain":${chain},"data":${answer.data}}`
  const errors = answer.errors.map((message) => ({ message, code: 'query_rejected' }))
  return `{"chain":${chain},"data":${answer.data},"errors":${JSON.stringify(errors)}}`
}

/** Head of a chain's answer, and the kind of subgraph that answered. */
type AnsweredHead = { readonly chain: number; readonly head: Head; readonly source: SubgraphSource }

/**
 * Formats the `x-tallystick-chains` header: for each chain, the block of its answer, that block's age in seconds, the
 * source of the answer, and whether its index has errors.
 */
export function formatHeads(heads: readonly AnsweredHead[], nowMs: number): string {
  return heads
    .map(({ chain, head, source }) => {
      const lag = head.timestamp === undefined ? '' : `;lag=${Math.max(0, Math.floor(nowMs / 1000) - head.timestamp)}`
      return `${chain};block=${head.number}${lag};source=${source}${head.hasErrors ? ';errors=1' : ''}`
    })
    .join(', ')
}

/** Returns the heads of the answers that have one. */
export function headsOf(
  results: readonly {
    readonly chain: number
    readonly answer?: { readonly head: Head | undefined; readonly source: SubgraphSource } | undefined
  }[],
): readonly AnsweredHead[] {
  return results.flatMap(({ chain, answer }) =>
    answer?.head ? [{ chain, head: answer.head, source: answer.source }] : [],
  )
}
