import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findingKinds } from '../packages/monitor/src/finding.ts'
import { monitorMetricHelp } from '../packages/monitor/src/monitor-metrics.ts'

const guide = readFileSync(new URL('../docs/monitor.md', import.meta.url), 'utf8')
const unit = readFileSync(new URL('../deploy/systemd/tallystick-monitor.service', import.meta.url), 'utf8')

test('default: every finding is explained, and no other', () => {
  const rows = [...guide.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|[^|]+\|[^|]+\|$/gm)]
  const explained = rows.flatMap(([, kinds = '']) => kinds.match(/\w+/g) ?? [])
  expect(explained.toSorted()).toEqual([...findingKinds].toSorted())
})

test('default: every metric is documented, and no other', () => {
  const documented = [...guide.matchAll(/^\| `(tallystick_monitor_\w+)` \|/gm)].map(([, name]) => name as string)
  expect(documented.toSorted()).toEqual(Object.keys(monitorMetricHelp).toSorted())
})

test('default: the guide names the unit, and the unit runs the command', () => {
  expect(guide).toContain('deploy/systemd/tallystick-monitor.service')
  const [, script] = /^ExecStart=\/usr\/bin\/node (\S+) monitor \$\{LOG_URL\} --key /m.exec(unit) ?? []
  // As `npm install --global --prefix /opt/tallystick-<version>` places it.
  const [, path] = /^lib\/node_modules\/tallystick\/(.+)$/.exec(script ?? '') ?? []
  expect(existsSync(new URL(`../apps/tallystick/${path}`, import.meta.url))).toBe(true)
})
