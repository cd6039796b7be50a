import { Command, InvalidArgumentError } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  addCommonOptions,
  formatDuration,
  parseChain,
  parseDuration,
  parseInstant,
  parseList,
  parseRpm,
} from './options.ts'

test('default: tallystick.json and text', () => {
  expect(addCommonOptions(new Command('test')).parse([], { from: 'user' }).opts()).toEqual({
    config: 'tallystick.json',
    json: false,
  })
})

describe('list', () => {
  test.each([
    ['notes', ['notes']],
    ['notes,data,rate', ['notes', 'data', 'rate']],
    [' notes , data ', ['notes', 'data']],
  ])('default: %j', (value, items) => {
    expect(parseList(value)).toEqual(items)
  })

  test.each(['', ' ', ',', 'notes,', ',notes', 'notes,,data', 'notes, ,data'])('error: %j', (value) => {
    expect(() => parseList(value)).toThrow(new InvalidArgumentError('Give names, comma separated.'))
  })
})

describe('requests per minute', () => {
  test.each([
    ['1', 1],
    ['600', 600],
    ['9999999', 9_999_999],
    ['unlimited', 'unlimited'],
  ])('default: %s', (value, rpm) => {
    expect(parseRpm(value)).toBe(rpm)
  })

  test.each(['', '0', '-1', '+1', '1.5', '1e3', '007', ' 1', '1 ', '10000000', 'Unlimited', 'null', '0x10', '１'])(
    'error: %j',
    (value) => {
      expect(() => parseRpm(value)).toThrow(new InvalidArgumentError('Give a whole number above zero, or "unlimited".'))
    },
  )
})

describe('duration', () => {
  test.each([
    ['0', 0],
    ['00', 0],
    ['1', 1],
    ['86400', 86_400],
    ['0s', 0],
    ['0d', 0],
    ['1s', 1],
    ['90s', 90],
    ['30m', 1_800],
    ['24h', 86_400],
    ['7d', 604_800],
    ['9999999s', 9_999_999],
  ])('default: %s is %d seconds', (value, seconds) => {
    expect(parseDuration(value)).toBe(seconds)
  })

  test.each([
    '',
    'h',
    '24 h',
    ' 24h',
    '24h ',
    '24H',
    '1.5h',
    '-1h',
    '+1h',
    '1h30m',
    '1w',
    '1ms',
    '10000000s',
    '10000000',
  ])('error: %j', (value) => {
    expect(() => parseDuration(value)).toThrow(
      new InvalidArgumentError('Give seconds, or a number and a unit, such as 90s, 30m, 24h or 7d.'),
    )
  })
})

test.each([
  [0, '0s'],
  [90, '90s'],
  [1_800, '30m'],
  [86_400, '24h'],
  [604_800, '168h'],
  [86_401, '86401s'],
])('default: %d seconds are formatted as %s, which parses to the same', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
  expect(parseDuration(text)).toBe(seconds)
})

describe('instant', () => {
  test.each([
    ['2027-01-01', '2027-01-01T00:00:00Z'],
    ['2028-02-29', '2028-02-29T00:00:00Z'],
    ['2027-01-01T12:00:00Z', '2027-01-01T12:00:00Z'],
    ['2027-01-01T12:00:00.5-05:00', '2027-01-01T12:00:00.5-05:00'],
  ])('default: %s is %s', (value, instant) => {
    expect(parseInstant(value)).toBe(instant)
  })

  test.each([
    '',
    'tomorrow',
    '2027',
    '2027-1-1',
    '2027-02-29',
    '2027-13-01',
    '2027-01-01T12:00:00',
    '01.01.2027',
    ' 2027-01-01',
  ])('error: %j', (value) => {
    expect(() => parseInstant(value)).toThrow(
      new InvalidArgumentError('Give a date such as 2027-01-01, or an instant such as 2027-01-01T12:00:00Z.'),
    )
  })
})

describe('chain', () => {
  test.each([
    ['1', 1],
    ['324', 324],
    ['999999999999999', 999_999_999_999_999],
  ])('default: %s', (value, chain) => {
    expect(parseChain(value)).toBe(chain)
  })

  test.each([
    '',
    '0',
    '0324',
    '-1',
    '+324',
    '324.0',
    '0x144',
    '3e2',
    ' 324',
    '324 ',
    '1000000000000000',
    'zksync',
    '３',
  ])('error: %j', (value) => {
    expect(() => parseChain(value)).toThrow(new InvalidArgumentError('Give a chain id, such as 324.'))
  })

  test('error: a second chain is rejected, not used instead of the first', () => {
    const command = new Command('test').exitOverride().configureOutput({ writeErr: () => undefined })
    command.option('--chain <id>', 'one chain', parseChain)
    const parse = (...argv: string[]) => command.parse(argv, { from: 'user' }).opts()
    expect(parse('--chain', '8453')).toEqual({ chain: 8453 })
    expect(() => parse('--chain', '8453', '--chain', '324')).toThrow('run the command once for each chain')
  })
})
