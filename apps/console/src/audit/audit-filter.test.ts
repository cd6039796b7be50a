import { expect, test } from 'vitest'
import { readFilter } from './audit-filter.ts'

test('default: days are those of New York, and the last one is included', () => {
  expect(readFilter({ by: 'alice', action: 'key', from: '2026-11-01', to: '2026-11-01' })).toEqual({
    by: 'alice',
    action: 'key',
    since: '2026-11-01T04:00:00.000Z',
    // This day has 25 hours.
    until: '2026-11-02T05:00:00.000Z',
  })
})

test('behavior: what is empty, unknown or no date does not filter', () => {
  expect(readFilter({ by: '', from: 'yesterday', to: '2026-1-1', limit: '200', other: 'x' })).toEqual({})
})
