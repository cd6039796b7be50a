import type { TallystickError } from '@tallystick/core'
import type { QueryFailureCode } from '@tallystick/subgraph'
import { queryRejected, upstreamError } from './chain-subgraph.ts'

/** Returns the error for a query that an embedded subgraph did not answer. The code decides its class, never the text. */
export function classifyFailure(code: QueryFailureCode, message: string): TallystickError {
  switch (code) {
    case 'invalid_query':
      return queryRejected(message)
    case 'not_started':
    case 'block_not_indexed':
      return upstreamError({ failure: 'behind', message })
    case 'query_timeout':
      return upstreamError({ failure: 'slow_query', message: 'The query timed out. Select less.' })
    case 'database_unavailable':
    case 'internal_error':
      return upstreamError({ failure: 'internal', message: 'The index of this chain is unavailable. Try again later.' })
  }
}
