import { expect, test } from 'vitest'
import {
  datesOf,
  daysMax,
  findRangeFault,
  formatHistoryLink,
  type HistoryChoice,
  parseHistoryLink,
} from './history-link.ts'

const present: HistoryChoice = { range: { days: 30 }, chainId: 324 }
const parse = (href: string) =>
  parseHistoryLink(new URL(href, 'https://notes.example').searchParams, { present, chainIds: [324, 8453] })

test.each<HistoryChoice>([
  { range: { days: 7 }, chainId: 324 },
  { range: { days: 90 }, chainId: 8453 },
  { range: { from: '2026-10-31', to: '2026-11-02' }, chainId: 8453 },
  { range: { from: '2026-11-01', to: '2026-11-01' }, chainId: 324 },
  { range: { days: 7 }, chainId: 324, hidden: [7, 360], period: 1793574000, day: '2026-11-01' },
  { range: { days: 7 }, chainId: 324, day: '2026-11-01' },
])('default: %j survives as a link', (choice) => {
  expect(parse(formatHistoryLink(choice))).toEqual({ choice })
})

test.each(['/history', '/history?', '/history?utm=1'])('behavior: %s keeps the present choice', (href) => {
  expect(parse(href)).toEqual({ choice: present })
})

test('behavior: a link with a chain alone keeps the range', () => {
  expect(parse('/history?chain=8453')).toEqual({ choice: { range: { days: 30 }, chainId: 8453 } })
})

test.each([
  ['/history?days=31', '7, 30, 90 days'],
  ['/history?days=', '7, 30, 90 days'],
  ['/history?chain=1', 'a chain that this service does not have'],
  ['/history?chain=324.0', 'a chain that this service does not have'],
  ['/history?from=2026-11-01', 'two dates that exist'],
  ['/history?from=2026-02-30&to=2026-03-01', 'two dates that exist'],
  ['/history?from=%00&to=<script>', 'two dates that exist'],
  ['/history?from=2026-11-02&to=2026-11-01', 'Swap them'],
  ['/history?from=1999-01-01&to=2026-11-01', 'at most 732'],
  ['/history?hide=7,x', 'a line, a period or a day'],
  [`/history?hide=${'7,'.repeat(50_000)}7`, 'a line, a period or a day'],
  ['/history?period=1e9', 'a line, a period or a day'],
  [`/history?period=${'9'.repeat(100_000)}`, 'a line, a period or a day'],
  ['/history?day=2026-02-30', 'a line, a period or a day'],
])('error: %s is not followed', (href, fault) => {
  const parsed = parse(href)
  expect(parsed.choice).toBe(present)
  expect(parsed.fault).toContain(fault)
})

test('behavior: a preset ends today, and today counts', () => {
  expect(datesOf({ days: 7 }, '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' })
  expect(datesOf({ from: '2026-01-01', to: '2026-01-02' }, '2026-03-03')).toEqual({
    from: '2026-01-01',
    to: '2026-01-02',
  })
})

test('behavior: the longest range is accepted, a day more is not', () => {
  const to = '2026-12-31'
  const range = datesOf({ days: daysMax }, to)
  expect(findRangeFault(range)).toBeUndefined()
  expect(findRangeFault(datesOf({ days: daysMax + 1 }, to))).toContain('The range has 733 days')
})
