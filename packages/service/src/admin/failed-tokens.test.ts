import { createMetrics } from '@tallystick/base'
import { expect, test } from 'vitest'
import { createManualTime } from '../../../base/test/test-time.ts'
import { createFailedTokens, failedTokenMetricHelp } from './failed-tokens.ts'

function setUp() {
  const metrics = createMetrics(failedTokenMetricHelp)
  const rows: [string, number][] = []
  const waits: number[] = []
  const time = createManualTime()
  let isAway = false
  const failedTokens = createFailedTokens({
    metrics,
    write: async (address, failures) => {
      if (isAway) throw new Error('away')
      rows.push([address, failures])
    },
    time: {
      ...time,
      setTimer: ({ ms }, callback) => {
        waits.push(ms)
        queueMicrotask(callback)
        return { stop: () => undefined }
      },
    },
  })
  return {
    ...{ ...failedTokens, metrics, rows, waits },
    advance: time.advance,
    setAway: (value: boolean) => {
      isAway = value
    },
  }
}

test('behavior: the sixth failure of an address is delayed, and those of others are not', async () => {
  const { count, waits, metrics } = setUp()
  for (let i = 0; i < 5; i++) await count('192.0.2.1')
  await count('192.0.2.2')
  expect(waits).toEqual([])
  await count('192.0.2.1')
  expect(waits).toEqual([1_000])
  expect(metrics.expose()).toContain('tallystick_admin_failed_tokens_total 7')
})

test('behavior: failures are forgotten 15 minutes after the last one', async () => {
  const { count, waits, advance } = setUp()
  for (let i = 0; i < 5; i++) await count('192.0.2.1')
  advance(15 * 60_000 - 1)
  await count('192.0.2.1')
  expect(waits).toHaveLength(1)
  advance(15 * 60_000)
  await count('192.0.2.1')
  expect(waits).toHaveLength(1)
})

test('behavior: a flood is one row per address', async () => {
  const { count, record, rows } = setUp()
  for (let i = 0; i < 1_000; i++) await count('192.0.2.1')
  await count('2001:db8::1')
  await count('2001:db8::2')
  await record()
  await record()
  expect(rows).toEqual([
    ['192.0.2.1', 1_000],
    ['2001:db8:0:0::/64', 2],
  ])
})

test('behavior: what could not be written is written later', async () => {
  const { count, record, rows, setAway } = setUp()
  await count('192.0.2.1')
  setAway(true)
  await expect(record()).rejects.toThrow('away')
  await count('192.0.2.1')
  setAway(false)
  await record()
  expect(rows).toEqual([['192.0.2.1', 2]])
})

test('behavior: addresses beyond the hundredth share one place until others are forgotten', async () => {
  const { count, record, rows, waits, advance } = setUp()
  for (let i = 0; i < 106; i++) await count(`192.0.2.${i}`)
  expect(waits).toEqual([1_000])
  await record()
  expect(rows).toHaveLength(101)
  expect(rows.at(-1)).toEqual(['other addresses', 6])
  advance(15 * 60_000)
  await count('198.51.100.1')
  await record()
  expect(rows.at(-1)).toEqual(['198.51.100.1', 1])
})
