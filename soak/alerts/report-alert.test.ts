import { expect, test } from 'vitest'
import { formatAlerts, reportAlert } from './report-alert.ts'
import { toSpans } from './start-prometheus.ts'

const spans = [
  { name: 'replica-kill', instances: ['a'], fromMs: 10_000, toMs: 20_000 },
  { name: 'lost database', instances: ['stage'], fromMs: 10_000, toMs: 20_000 },
]
const firing = { alert: 'Down', instance: 'a', fromMs: 12_000, toMs: 14_000 }

test('default: an alert is reported with the faults of its replica', () => {
  const report = reportAlert('Down', { firings: [firing], spans })
  expect(report).toEqual({ alert: 'Down', times: 1, during: ['replica-kill'] })
  expect(formatAlerts([report]).join('\n')).toMatch(/^alerts: 1 of 1 fired\n {2}Down +1 times: replica-kill$/)
})

test('behavior: an alert that fires long after a fault is not attributed to it', () => {
  const late = { ...firing, fromMs: 51_000, toMs: 52_000 }
  expect(reportAlert('Down', { firings: [late], spans }).during).toEqual([])
})

test('behavior: an alert that did not fire has a reason', () => {
  expect(reportAlert('Down', { firings: [], spans }).missing).toBe('no fault of this run caused it')
})

test('behavior: a missed evaluation does not split a firing', () => {
  expect(toSpans([1, 2, 4, 8, 9])).toEqual([
    [1, 4],
    [8, 9],
  ])
})
