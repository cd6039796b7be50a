import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const unit = readFileSync(new URL('../deploy/systemd/tallystick.service', import.meta.url), 'utf8')
const guide = readFileSync(new URL('../docs/operating/installing.md', import.meta.url), 'utf8')

function valuesOf(directive: string): string[] {
  return [...unit.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value]) => value as string)
}

test('default: the guide names the unit and does not repeat it', () => {
  expect(guide).toContain('deploy/systemd/tallystick.service')
  expect(guide).not.toContain('ExecStart=')
})

test('default: the unit starts an existing file and allows enough time for shutdown', () => {
  const [, script] = /^\/usr\/bin\/node (\S+) serve --config /.exec(valuesOf('ExecStart')[0] ?? '') ?? []
  // As `npm install --global --prefix /opt/tallystick-<version>` places it.
  const [, path] = /^lib\/node_modules\/tallystick\/(.+)$/.exec(script ?? '') ?? []
  expect(existsSync(new URL(`../apps/tallystick/${path}`, import.meta.url))).toBe(true)
  // 5 s while readiness fails, 10 s for running requests, and time to close the database.
  // More than listen.shutdownSeconds.
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(25)
})

test('default: the template of several replicas differs only in its instance', () => {
  const template = readFileSync(new URL('../deploy/systemd/tallystick@.service', import.meta.url), 'utf8')
  const withoutComments = (text: string) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n')
  const expected = unit
    .replace('Description=Tallystick', 'Description=Tallystick, replica %i')
    .replace('/etc/tallystick/tallystick.json', '/etc/tallystick/tallystick-%i.json')
  expect(withoutComments(template)).toBe(withoutComments(expected))
})

test.each([
  ['LimitCORE', '0'],
  ['UMask', '0077'],
  ['NoNewPrivileges', 'yes'],
  ['ProtectSystem', 'strict'],
  ['ProtectHome', 'yes'],
  ['PrivateTmp', 'yes'],
  ['PrivateDevices', 'yes'],
  ['CapabilityBoundingSet', ''],
  ['StateDirectory', 'tallystick'],
  ['StateDirectoryMode', '0700'],
  ['SystemCallArchitectures', 'native'],
])('behavior: %s is "%s"', (directive, value) => {
  expect(valuesOf(directive)).toEqual([value])
})

test('behavior: writable memory may be executable, which Node needs', () => {
  expect(valuesOf('MemoryDenyWriteExecute')).toEqual([])
})
