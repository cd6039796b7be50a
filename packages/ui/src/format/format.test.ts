import { describe, expect, test } from 'vitest'
import { shortHex } from '../parts/hex.tsx'
import { formatDollars, formatExact, parseDollars } from './dollars.ts'
import { formatMove, formatRate } from './format-rate.ts'
import {
  formatClock,
  formatCountdown,
  formatDate,
  formatDatesIn,
  formatDuration,
  formatInstant,
  formatPeriod,
  formatTime,
  isoDate,
  startOfDay,
  zoneName,
} from './format-time.ts'

const zone = 'America/New_York'
const dollar = 10n ** 18n
const maxUint256 = 2n ** 256n - 1n

describe('dollars', () => {
  test.each([
    [0n, '0.00'],
    [1n, '0.00'],
    [9_999_999_999_999_999n, '0.00'],
    [10_000_000_000_000_000n, '0.01'],
    [1_234_999_999_999_999_999_999n, '1,234.99'],
    [10n ** 33n, '1,000,000,000,000,000.00'],
  ])('behavior: %s is formatted as %s, rounded down', (amount, text) => {
    expect(formatDollars(amount)).toBe(text)
  })

  test.each([
    ['1000', 1_000n * dollar],
    [' 1,000.50 ', 1_000_500_000_000_000_000_000n],
    ['1.000,50', 1_000_500_000_000_000_000_000n],
    ['1250,50', 1_250_500_000_000_000_000_000n],
    ['1250.5', 1_250_500_000_000_000_000_000n],
    ['1,250,000', 1_250_000n * dollar],
    ['1.250.000', 1_250_000n * dollar],
    ['$2 500', 2_500n * dollar],
    ['1 250,50', 1_250_500_000_000_000_000_000n],
    ['1\u00a0250,50', 1_250_500_000_000_000_000_000n],
    ['1\u202f250\u202f000', 1_250_000n * dollar],
    ["1'250.50", 1_250_500_000_000_000_000_000n],
    ['1’250.50', 1_250_500_000_000_000_000_000n],
    // A group never starts with a 0, and has three digits.
    ['0,250', 250_000_000_000_000_000n],
    ['0.250', 250_000_000_000_000_000n],
    ['1250.000', 1_250n * dollar],
    ['1250,000', 1_250n * dollar],
    ['1,2500', 1_250_000_000_000_000_000n],
    ['0.000000000000000001', 1n],
    ['7.', 7n * dollar],
    ['7,', 7n * dollar],
    [String(maxUint256 / dollar), (maxUint256 / dollar) * dollar],
  ])('behavior: %j is parsed', (text, amount) => {
    expect(parseDollars(text)).toEqual({ amount })
  })

  test.each([
    ['1,250', '"1,250" can mean 1250 or 1.25. Enter one of these.'],
    ['$1.250', '"1.250" can mean 1250 or 1.25. Enter one of these.'],
    ['10,000', '"10,000" can mean 10000 or 10.00. Enter one of these.'],
    ['123.456', '"123.456" can mean 123456 or 123.4560. Enter one of these.'],
  ])('error: %j has two meanings', (text, fault) => {
    expect(parseDollars(text)).toEqual({ fault })
    for (const [reading] of fault.slice(fault.indexOf('mean')).matchAll(/\d+(\.\d+)?/g)) {
      expect(parseDollars(reading)).toHaveProperty('amount')
    }
  })

  test.each([
    ...['', 'ten', '-1', '−1', '1e3', '.5', ',5', '1.2.3', '0x10', '0.0000000000000000001', ',', '.', ' ', '$', '007'],
    ...['1,0,0,0', '5, 000', '1,000,', '1.000.', '1,25,000', '1,250,00', '1,250 000', '1.250.50', '1 250 50', '01,250'],
    ...['1,250,000,', '1,,250', '１２５０', '٣٠٠٠', "1 250'000", '1__000', '9'.repeat(400), String(maxUint256)],
  ])('error: %j is not an amount', (text) => {
    expect(parseDollars(text)).toEqual({ fault: 'Enter dollars, such as 10000 or 2500.50.' })
  })

  test('behavior: whatever the page writes into a field is read as the same amount', () => {
    const wholes = [0n, 1n, 12n, 999n, 1_000n, 12_345n, 1_000_000n, 10n ** 15n, maxUint256 / dollar - 1n]
    const fractions = [0n, 1n, 5n * 10n ** 17n, 25n * 10n ** 16n, 125n * 10n ** 15n, 1_234n * 10n ** 14n, dollar - 1n]
    for (const amount of wholes.flatMap((whole) => fractions.map((fraction) => whole * dollar + fraction))) {
      expect(parseDollars(formatExact(amount))).toEqual({ amount })
      const shown = formatDollars(amount)
      expect(parseDollars(shown)).toEqual({ amount: (amount / 10n ** 16n) * 10n ** 16n })
    }
  })

  test.each([
    [1_000n * dollar, '1,000.00'],
    [1_000_500_000_000_000_000_000n, '1,000.50'],
    [1_125_000_000_000_000_000n, '1.1250'],
    [1n, '0.000000000000000001'],
  ])('default: %s is formatted exactly as %s', (amount, text) => {
    expect(formatExact(amount)).toBe(text)
  })
})

test('default: rates have two decimals, and negative values a minus sign', () => {
  expect([0n, 5n, 369n, 1633n, -4n].map(formatRate)).toEqual(['0.00%', '0.05%', '3.69%', '16.33%', '−0.04%'])
  expect([3n, -3n, 0n].map(formatMove)).toEqual(['+3 bps', '−3 bps', '0 bps'])
})

describe('time', () => {
  test('default: formats instants in a time zone', () => {
    expect(formatInstant(1793574000n, zone)).toBe('1 Nov 2026, 18:00')
    expect(formatInstant(1793573999n, zone)).toBe('1 Nov 2026, 17:59:59')
    expect(formatInstant(1793574000n, 'Asia/Tokyo')).toBe('2 Nov 2026, 08:00')
    expect(formatDate(1789000000n, zone)).toBe('9 Sep 2026')
    expect([1793573999n, 1793574000n].map((seconds) => formatTime(seconds, zone))).toEqual(['17:59:59', '18:00'])
    expect(zoneName(zone)).toBe('New York')
  })

  test('behavior: midnight is 00:00, with the weekday if it is on another day', () => {
    expect(formatClock(1793595600n, { zone })).toBe('00:00')
    expect(formatClock(1793595600n, { zone, near: 1793580000n })).toBe('Mon 00:00')
    expect(formatClock(1793574000n, { zone, near: 1793570000n })).toBe('18:00')
  })

  test('behavior: a countdown never falls below zero', () => {
    expect([68_399, 3_661, 59.9, 0, -5].map(formatCountdown)).toEqual([
      '18:59:59',
      '01:01:01',
      '00:00:59',
      '00:00:00',
      '00:00:00',
    ])
    expect([90_061, 864_000, 3_700, 61, 4, -1].map(formatDuration)).toEqual([
      '1 day 1 h',
      '10 days',
      '1 h 1 min',
      '1 min',
      '4 s',
      '0 s',
    ])
  })
})

test('default: shortens addresses', () => {
  expect(shortHex('0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781')).toBe('0x529d…6781')
  expect(shortHex('0x12')).toBe('0x12')
})

describe('zones', () => {
  test('default: a period is formatted in any zone, and says where it ends on the next day', () => {
    const evening = { periodStart: 1793574000n, periodEnd: 1793595600n }
    const day = { periodStart: 1793505600n, periodEnd: 1793574000n }
    expect([formatPeriod(day, zone), formatPeriod(evening, zone)]).toEqual([
      '1 Nov 2026, 00:00 to 18:00',
      '1 Nov 2026, 18:00 to 24:00',
    ])
    expect([formatPeriod(day, 'UTC'), formatPeriod(evening, 'UTC')]).toEqual([
      '1 Nov 2026, 04:00 to 23:00',
      '1 Nov 2026, 23:00 to 05:00 next day',
    ])
    expect(formatPeriod(day, 'Asia/Tokyo')).toBe('1 Nov 2026, 13:00 to 08:00 next day')
    expect(formatPeriod(evening, 'America/Los_Angeles')).toBe('1 Nov 2026, 15:00 to 21:00')
  })

  test.each(['America/New_York', 'UTC', 'Asia/Tokyo', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe'])(
    'behavior: midnight in %s is found on DST days and others',
    (name) => {
      for (const date of ['2026-03-08', '2026-04-05', '2026-10-04', '2026-11-01', '2026-11-02', '2027-01-01']) {
        const midnight = startOfDay(Date.parse(date) / 1000, name)
        expect([isoDate(midnight, name), isoDate(midnight - 1, name) < date]).toEqual([date, true])
        // A time that is not a whole minute would have seconds.
        expect(formatInstant(BigInt(midnight), name)).toMatch(/, 00:00$/)
      }
    },
  )

  test('behavior: dates in texts of the service have the page’s format', () => {
    expect(formatDatesIn('Set for 2026-09-30 (UTC).')).toBe('Set for 30 Sep 2026 (UTC).')
    expect(formatDatesIn('2026-13-41, 2026-11-12T00:00Z, 12026-11-12')).toBe(
      '2026-13-41, 2026-11-12T00:00Z, 12026-11-12',
    )
  })
})
