import { expect, test } from 'vitest'
import { isInNodeRange } from './node-range.ts'

test.each([
  ['20.19.0', '>=20.19', true],
  ['20.18.9', '>=20.19', false],
  ['20.19.0', '>= 10.x', true],
  ['20.19.0', '^20.19.0 || >=22.12.0', true],
  ['21.7.3', '^20.19.0 || >=22.12.0', false],
  ['22.11.0', '^20.19.0 || >=22.12.0', false],
  ['26.0.0', '^20.19.0 || >=22.12.0', true],
  ['20.19.0', '>=22.12.0 || >=20.19.0 <21.0.0', true],
  ['21.0.0', '>=22.12.0 || >=20.19.0 <21.0.0', false],
  ['20.19.0', '22.x', false],
  ['22.12.0', '22.x', true],
  ['22.12.0', '22', true],
  ['22.12.0', '22.11', false],
  ['20.19.0', '<=20.19.0', true],
  ['20.19.0', '>20.19.0', false],
  ['20.19.0', '*', true],
])('default: %s in "%s" is %s', (version, range, expected) => {
  expect(isInNodeRange(version, range)).toBe(expected)
})

test.each(['~20.1.0', '20 - 22', 'lts', '>20', '>=20.0.0-rc.1'])('error: "%s" is not supported', (range) => {
  expect(() => isInNodeRange('20.19.0', range)).toThrow('Cannot read')
})
