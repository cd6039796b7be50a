import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'

const parse = (...argv: string[]) => parseOptions(argv, () => 42)

test('default: 10 minutes and a new seed', () => {
  expect(parse()).toEqual({ minutes: 10, seed: 42, alerts: false, json: false, help: false })
  expect(parse('--minutes', '12', '--seed', '7', '--alerts', '--json')).toEqual({
    minutes: 12,
    seed: 7,
    alerts: true,
    json: true,
    help: false,
  })
})

test('default: a ref to upgrade from', () => {
  expect(parse('--upgrade-from', 'v0.1.0')).toMatchObject({ upgradeFrom: 'v0.1.0' })
})

test.each([
  [['--upgrade-from', '']],
  [['--upgrade-from=--output=x']],
  [['--minutes', '2']],
  [['--minutes', 'x']],
  [['--minutes', '']],
  [['--seed', '1.5']],
  [['--seed', '-1']],
  [['--sed', '1']],
  [['5']],
])('error: refuses %j', (argv) => {
  expect(() => parse(...argv)).toThrow()
})
