import type { TallystickError } from '@tallystick/core'
import type { ChainResult } from '@tallystick/gateway'

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
