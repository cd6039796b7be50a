import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dataMetricHelp } from '../apps/api/src/data/data-metrics.ts'
import { remoteMetricHelp } from '../apps/api/src/data/remote/remote-metrics.ts'
import { subgraphMetricHelp } from '../apps/api/src/data/subgraph-metrics.ts'
import { hookMetricHelp } from '../apps/api/src/hooks/start-hooks.ts'
import { hostMetricHelp } from '../apps/api/src/host-metrics.ts'
import { connectionMetricHelp } from '../apps/api/src/http/limit-connections.ts'
import { httpMetricHelp } from '../apps/api/src/http/measure.ts'
import { preflightMetricHelp } from '../apps/api/src/notes/issue/preflight-metrics.ts'
import { refusalReasons } from '../apps/api/src/notes/issue/refusal.ts'
import { discrepancyMetricHelp } from '../apps/api/src/notes/journal/discrepancy-monitor.ts'
import { noteMetricHelp } from '../apps/api/src/notes/note-metrics.ts'
import { signerFailures } from '../apps/api/src/notes/signers/signer.ts'
import { treasuryMetricHelp } from '../apps/api/src/notes/treasury/treasury-metrics.ts'
import { poolMetricHelp } from '../apps/api/src/notes/watch/watch-pools.ts'
import { clockMetricHelp } from '../apps/api/src/time/clock-monitor.ts'

const text = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8')
const help = {
  ...httpMetricHelp,
  ...hostMetricHelp,
  ...connectionMetricHelp,
  ...noteMetricHelp,
  ...preflightMetricHelp,
  ...discrepancyMetricHelp,
  ...subgraphMetricHelp,
  ...dataMetricHelp,
  ...remoteMetricHelp,
  ...treasuryMetricHelp,
  ...poolMetricHelp,
  ...clockMetricHelp,
  ...hookMetricHelp,
}

/** Returns the section of the guide with this heading. */
function sectionOf(heading: string): string {
  return (text.split(`. ${heading}\n`)[1] as string).split(/^## /m)[0] as string
}

const expressions = [...sectionOf('Alerts').matchAll(/^\|[^|]+\| (`.*) \|[^|]+\|$/gm)].flatMap(([, cell]) =>
  [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, expression]) => expression as string),
)

/** Returns the metric families of an expression. The series of a histogram are one family. */
function familiesOf(expression: string): string[] {
  const names = expression.match(/tallystick_\w+/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

test('default: every metric in the guide exists', () => {
  const names = familiesOf(text)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !Object.hasOwn(help, name))).toEqual([])
})

test('default: every alarm metric has an alert', () => {
  const alarms = Object.entries(help).flatMap(([name, words]) => (words.startsWith('ALARM') ? [name] : []))
  const alerted = expressions.flatMap(familiesOf)
  expect(alarms.length).toBeGreaterThan(3)
  expect(alarms.filter((name) => !alerted.includes(name))).toEqual([])
})

// Prometheus joins two families by equal labels. The labels of these families differ, so such an alert would never fire.
test('behavior: an alert on two metrics names the label that joins them', () => {
  const joined = expressions.filter((expression) => familiesOf(expression).length > 1)
  expect(joined).not.toEqual([])
  for (const expression of joined) expect(expression).toMatch(/ (and|or|unless) on ?\(instance\) /)
})

describe('behavior: every reason why notes are not signed is explained', () => {
  const section = sectionOf('Responding to alerts')
  test.each([...refusalReasons, ...signerFailures])('%s', (reason) => {
    expect(section).toContain(`\`${reason}\``)
  })
})

test('behavior: every section that the guide links to exists', () => {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  const links = [...text.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor as string)
  expect(links).not.toEqual([])
  expect(links.filter((link) => !headings.includes(link))).toEqual([])
})
