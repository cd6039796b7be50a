import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listAlerts, scaleRules } from './scale-rules.ts'

const rules = readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')

test('default: a minute lasts a second', () => {
  const text = `      - alert: One
        expr: 'increase(a_total[15m]) > 0 and rate(b[5m]) > 300'
        for: 10m`
  expect(scaleRules(text)).toBe(`      - alert: One
        expr: 'increase(a_total[15s]) > 0 and rate(b[5s]) > 300'
        for: 10s`)
})

test('behavior: no alert waits longer than a fault lasts', () => {
  const durations = [...scaleRules(rules).matchAll(/for: (\S+)/g)].map(([, duration]) => duration)
  expect(new Set(durations)).toEqual(new Set(['1s', '2s', '5s', '10s', '15s']))
})

test('behavior: every alert of the file is listed', () => {
  expect(listAlerts(rules).length).toBe(rules.split('- alert:').length - 1)
})
