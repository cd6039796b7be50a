import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { monitorMetricHelp } from '../packages/monitor/src/monitor-metrics.ts'
import { metricHelp } from '../packages/service/src/metric-help.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
type Tests = {
  readonly tests: readonly {
    readonly name: string
    readonly promql_expr_test: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[]
  }[]
}

// The YAML parser of the OpenAPI tools. It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { groups } = load(read('deploy/prometheus/alerts.yml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const [ofService = [], ofMonitor = []] = groups.map(({ rules }) => rules)
const rules = [...ofService, ...ofMonitor]
const known = { ...metricHelp, ...monitorMetricHelp, up: '' }
const severities = { page: 'page', 'within the hour': 'hour', today: 'day' } as const

/** Returns the metric families of an expression. The series of a histogram are one family. */
function familiesOf(expression: string): string[] {
  const names = expression.match(/\b(?:tallystick|process|nodejs)_\w+|\bup\b/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

/** Returns the rules of the table in the guide: one per row, named for its first cell. */
function rulesOfGuide() {
  const rows = [
    ...read('docs/operating/alerts.md').matchAll(
      /^\| ([^|`]+) \| `([^|]+)`(?: for (\d+) (min|h|d))? \| ([^|:]+).* \|$/gm,
    ),
  ]
  return rows.map(([, name = '', expr, count, unit, response]) => ({
    alert: `Tallystick${name.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    expr,
    for: count && unit ? `${count}${unit[0]}` : undefined,
    severity: severities[response as keyof typeof severities],
  }))
}

test('default: the rules of the service are the table of the guide', () => {
  const shaped = ofService.map(({ alert, expr, for: duration, labels: { severity } }) => ({
    alert,
    expr,
    for: duration,
    severity,
  }))
  expect(shaped.length).toBeGreaterThan(30)
  expect(shaped).toEqual(rulesOfGuide())
})

test('default: every alert in the guide of the monitor is a rule', () => {
  const rows = [...read('docs/monitor.md').matchAll(/^\| `(tallystick_monitor_\w+)` \| `/gm)]
  const alerted = ofMonitor.flatMap(({ expr }) => familiesOf(expr)).filter((name) => name !== 'up')
  expect(alerted.toSorted()).toEqual(rows.map(([, name]) => name as string).toSorted())
})

test('behavior: every metric of a rule exists', () => {
  for (const { alert, expr } of rules) {
    expect(familiesOf(expr), alert).not.toEqual([])
    expect(
      familiesOf(expr).filter((name) => !Object.hasOwn(known, name)),
      alert,
    ).toEqual([])
  }
})

test('behavior: every rule has a summary, and a section of the documentation that exists', () => {
  for (const { alert, annotations } of rules) {
    expect(annotations.summary, alert).toMatch(/\.$/)
    const [, path = '', anchor] = /^(docs\/(?:operating\/)?[\w-]+\.md)#([\w-]+)$/.exec(annotations.runbook) ?? []
    const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    expect(headings, alert).toContain(anchor)
  }
})

test('behavior: every rule has a unit test in which it fires and does not fire', () => {
  const { tests } = load(read('deploy/prometheus/alerts.test.yml')) as Tests
  expect(tests.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert))
  for (const { name, promql_expr_test: times } of tests) {
    const fired = times.map(({ exp_samples }) => exp_samples.map(({ labels }) => labels))
    expect(fired, name).toEqual([[], [`{alertname="${name}"}`]])
  }
})
