import { expect, test } from 'vitest'
import { keepReport, type Lookup } from './keep-report.ts'
import type { Wallet } from './look-up-wallet.ts'

const found = (wallet: Partial<Wallet>): Lookup => ({
  status: 'found',
  wallet: { failures: [], holdings: [], ...wallet } as unknown as Wallet,
  name: undefined,
})
const known = found({ at: 1n })
const chainFailure = { chain: 324, message: 'The subgraph failed.' }

test('default: a lookup that succeeds replaces the report, and its error', () => {
  const next = found({ at: 2n })
  expect(keepReport(known, next)).toBe(next)
  expect(keepReport(keepReport(known, { status: 'failed', error: 'x' }), next)).toBe(next)
})

test.each([
  [{ status: 'failed', error: new Error('429') }, '429'],
  [{ status: 'unresolved', name: 'a.eth', problem: 'ENS failed.' }, 'ENS failed.'],
  [found({ at: 2n, failures: [chainFailure] }), 'Chain 324 failed. The subgraph failed.'],
] as const)('behavior: case %# leaves the last report, with the error', (outcome, message) => {
  const kept = keepReport(known, outcome)
  expect(kept).toMatchObject({ status: 'found', wallet: { at: 1n }, refreshError: { message } })
  // Another object, so that the next lookup is planned.
  expect((kept as { wallet: Wallet }).wallet).not.toBe((known as { wallet: Wallet }).wallet)
})

test('behavior: a chain that failed before does not keep the report', () => {
  const next = found({ at: 2n, failures: [chainFailure] })
  expect(keepReport(found({ failures: [chainFailure] }), next)).toBe(next)
})

test('behavior: without a report, the failure is shown', () => {
  const failed = { status: 'failed', error: 'x' } as const
  expect(keepReport({ status: 'loading' }, failed)).toBe(failed)
})
