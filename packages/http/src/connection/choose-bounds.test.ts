import { expect, test } from 'vitest'
import { chooseConnectionsMax, parseOpenFileLimit, readOpenFileLimit } from './choose-bounds.ts'

test.each([
  [1_024, 768],
  [513, 257],
  [512, 256],
  [256, 128],
  [10_256, 10_000],
  [1_048_576, 10_000],
  [undefined, 768],
])('default: with a limit of %s open files there are %s connections', (openFileLimit, max) => {
  expect(chooseConnectionsMax({ configured: undefined, openFileLimit })).toEqual({ max })
})

test('behavior: a configured number is used, with a warning if it leaves too few files', () => {
  expect(chooseConnectionsMax({ configured: 768, openFileLimit: 1_024 })).toEqual({ max: 768 })
  expect(chooseConnectionsMax({ configured: 20_000, openFileLimit: undefined })).toEqual({ max: 20_000 })
  const { max, problem } = chooseConnectionsMax({ configured: 769, openFileLimit: 1_024 })
  expect(max).toBe(769)
  expect(problem).toBe(
    'listen.connectionsMax is 769, but this process can open only 1024 files and reserves 256 of them. ' +
      'Raise the limit (LimitNOFILE=, ulimit -n) or set at most 768.',
  )
})

test('behavior: the soft limit is parsed from the format of Linux', () => {
  const line = (soft: string) =>
    `Max processes             63432                63432                processes \nMax open files            ${soft.padEnd(20)} 1048576              files     \n`
  expect(parseOpenFileLimit(line('1024'))).toBe(1_024)
  expect(parseOpenFileLimit(line('unlimited'))).toBeUndefined()
  expect(parseOpenFileLimit('')).toBeUndefined()
  expect(readOpenFileLimit('/nowhere/limits')).toBeUndefined()
})
