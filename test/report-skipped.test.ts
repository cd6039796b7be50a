import { expect, test } from 'vitest'
import { formatSkipped } from './set-up/report-skipped.ts'

const skipped = (fullName: string, note: string | undefined, tags: string[] = []) => ({
  fullName,
  tags,
  result: () => ({ state: 'skipped', errors: undefined, note }) as const,
})

test('default: each reason is printed once, with its first test', () => {
  expect(
    formatSkipped([
      skipped('the page > default: opens', 'No browser.'),
      skipped('default: lint', 'caddy is not installed'),
      skipped('the page > error: offline', 'No browser.'),
    ]),
  ).toEqual([
    'Skipped: the page > default: opens and 1 more. Reason: No browser.',
    'Skipped: default: lint. Reason: caddy is not installed',
  ])
})

test('behavior: a test that did not match the name filter is not listed', () => {
  expect(formatSkipped([skipped('another', undefined), skipped('a third', '')])).toEqual([])
})

test('behavior: tests of PostgreSQL have its reason if there is none', () => {
  const tests = [skipped('a', undefined, ['postgres']), skipped('b', undefined, ['slow', 'server'])]
  expect(formatSkipped(tests, { missingPostgres: 'No PostgreSQL.' })).toEqual([
    'Skipped: a and 1 more. Reason: No PostgreSQL.',
  ])
})

test('behavior: slow tests that a tier leaves out are counted', () => {
  const slow = [skipped('a', undefined, ['slow']), skipped('b', undefined, ['slow', 'postgres'])]
  expect(formatSkipped(slow)).toEqual(['Skipped: 2 slow tests. `npm run test:all` runs them.'])
  expect(formatSkipped([skipped('c', 'No browser.', ['slow'])])).toEqual(['Skipped: c. Reason: No browser.'])
})
