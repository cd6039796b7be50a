import type { QueryFailureCode } from '@tallystick/subgraph'
import { expect, test } from 'vitest'
import { classifyFailure } from './embedded-subgraph.ts'

// The compiler requires an entry for each code.
const classes: Readonly<Record<QueryFailureCode, readonly [code: string, failure: string | undefined]>> = {
  invalid_query: ['query_rejected', undefined],
  not_started: ['upstream_failed', 'behind'],
  block_not_indexed: ['upstream_failed', 'behind'],
  query_timeout: ['upstream_timeout', 'slow_query'],
  database_unavailable: ['upstream_failed', 'internal'],
  internal_error: ['upstream_failed', 'internal'],
}

const texts = [
  'Query timed out',
  'Store error: internal error',
  'subgraph Qm has not started syncing yet',
  'data for block number 9 is therefore not yet available',
  'any other text',
  '',
]

test.each(Object.entries(classes))(
  'default: %s has the same class whatever its message',
  (code, [expected, failure]) => {
    for (const text of texts) {
      const error = classifyFailure(code as QueryFailureCode, text)
      expect(error.code).toBe(expected)
      expect(error.details?.['failure']).toBe(failure)
    }
  },
)
