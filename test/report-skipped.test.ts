import { expect, test } from 'vitest'
import { formatSkipped } from './set-up/report-skipped.ts'

const skipped = (fullName: string, note: string | undefined) => ({
  fullName,
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
