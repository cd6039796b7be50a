import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const help = {
  requests_total: 'Requests answered.',
  requests: 'Another family, whose name begins the first one’s.',
  ready: 'Whether it is.',
  duration_seconds: 'How long it took.',
}

test('default: without metrics the page is empty', () => {
  expect(createMetrics(help).expose()).toBe('\n')
})

test('default: counters, gauges and histograms in the text format, in the order they were declared', () => {
  const metrics = createMetrics(help)
  const ok = metrics.counter('requests_total', { route: '/notes', status: 200 })
  metrics.counter('requests_total', { route: '/notes', status: 403 })
  metrics.gauge('ready', () => [{ labels: { chain: 324 }, value: 1 }, { value: 0.5 }])
  metrics.histogram('duration_seconds', { route: '/notes' }).observe(0.25)
  ok.increment()
  ok.increment()
  expect(metrics.expose()).toMatchInlineSnapshot(`
    "# HELP requests_total Requests answered.
    # TYPE requests_total counter
    requests_total{route="/notes",status="200"} 2
    requests_total{route="/notes",status="403"} 0
    # HELP ready Whether it is.
    # TYPE ready gauge
    ready{chain="324"} 1
    ready 0.5
    # HELP duration_seconds How long it took.
    # TYPE duration_seconds histogram
    duration_seconds_bucket{route="/notes",le="0.0005"} 0
    duration_seconds_bucket{route="/notes",le="0.001"} 0
    duration_seconds_bucket{route="/notes",le="0.0025"} 0
    duration_seconds_bucket{route="/notes",le="0.005"} 0
    duration_seconds_bucket{route="/notes",le="0.01"} 0
    duration_seconds_bucket{route="/notes",le="0.025"} 0
    duration_seconds_bucket{route="/notes",le="0.05"} 0
    duration_seconds_bucket{route="/notes",le="0.1"} 0
    duration_seconds_bucket{route="/notes",le="0.25"} 1
    duration_seconds_bucket{route="/notes",le="0.5"} 1
    duration_seconds_bucket{route="/notes",le="1"} 1
    duration_seconds_bucket{route="/notes",le="2.5"} 1
    duration_seconds_bucket{route="/notes",le="5"} 1
    duration_seconds_bucket{route="/notes",le="10"} 1
    duration_seconds_bucket{route="/notes",le="+Inf"} 1
    duration_seconds_sum{route="/notes"} 0.25
    duration_seconds_count{route="/notes"} 1
    "
  `)
})

test('behavior: a counter without labels has no braces, and starts at zero', () => {
  const metrics = createMetrics(help)
  metrics.counter('requests_total')
  expect(metrics.expose()).toBe(
    '# HELP requests_total Requests answered.\n# TYPE requests_total counter\nrequests_total 0\n',
  )
})

test('behavior: the same labels are the same series', () => {
  const metrics = createMetrics(help)
  metrics.counter('requests_total', { status: 200 }).increment()
  metrics.counter('requests_total', { status: '200' }).increment()
  metrics.counter('requests_total', { status: 500 }).increment()
  expect(linesOf(metrics.expose())).toEqual(['requests_total{status="200"} 2', 'requests_total{status="500"} 1'])
})

test('behavior: a family does not include the series of a family with a longer name', () => {
  const metrics = createMetrics(help)
  metrics.counter('requests').increment()
  metrics.counter('requests_total').increment()
  metrics.counter('requests', { a: 1 })
  expect(metrics.expose()).toMatchInlineSnapshot(`
    "# HELP requests Another family, whose name begins the first one’s.
    # TYPE requests counter
    requests 1
    requests{a="1"} 0
    # HELP requests_total Requests answered.
    # TYPE requests_total counter
    requests_total 1
    "
  `)
})

test('behavior: quotes, backslashes and line ends in a label are escaped, nothing else is', () => {
  const metrics = createMetrics(help)
  metrics.counter('requests_total', { path: 'a"b\\c\nd\\n{}, é' })
  expect(linesOf(metrics.expose())).toEqual([String.raw`requests_total{path="a\"b\\c\nd\\n{}, é"} 0`])
})

test('behavior: a gauge is read at each scrape', () => {
  const metrics = createMetrics(help)
  let value = 0
  metrics.gauge('ready', function* () {
    yield { value: ++value }
  })
  expect(value).toBe(0)
  expect(linesOf(metrics.expose())).toEqual(['ready 1'])
  expect(linesOf(metrics.expose())).toEqual(['ready 2'])
})

test('behavior: a gauge without series has its help and type', () => {
  const metrics = createMetrics(help)
  metrics.gauge('ready', () => [])
  expect(metrics.expose()).toBe('# HELP ready Whether it is.\n# TYPE ready gauge\n')
})

describe('histogram', () => {
  const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  const bucketsAfter = (...observations: number[]) => {
    const metrics = createMetrics(help)
    const histogram = metrics.histogram('duration_seconds')
    for (const seconds of observations) histogram.observe(seconds)
    const lines = linesOf(metrics.expose())
    return {
      counts: lines.filter((line) => line.includes('_bucket')).map((line) => Number(line.split(' ')[1])),
      rest: lines.filter((line) => !line.includes('_bucket')),
    }
  }

  test('default: every bound, then +Inf, sum and count', () => {
    const metrics = createMetrics(help)
    metrics.histogram('duration_seconds', { route: '/notes' })
    const lines = linesOf(metrics.expose())
    expect(lines).toEqual([
      ...[...bounds, '+Inf'].map((le) => `duration_seconds_bucket{route="/notes",le="${le}"} 0`),
      'duration_seconds_sum{route="/notes"} 0',
      'duration_seconds_count{route="/notes"} 0',
    ])
  })

  test('behavior: buckets are cumulative', () => {
    const { counts, rest } = bucketsAfter(0.25, 0.5, 4)
    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3])
    expect(rest).toEqual(['duration_seconds_sum 4.75', 'duration_seconds_count 3'])
  })

  test('behavior: a value at a bound is in its bucket, a greater one in the next', () => {
    for (const [index, bound] of bounds.entries()) {
      const expected = [...bounds, 0].map((_, bucket) => (bucket >= index ? 1 : 0))
      expect(bucketsAfter(bound).counts).toEqual(expected)
      expect(bucketsAfter(bound * 1.0001).counts).toEqual(expected.map((count, at) => (at === index ? 0 : count)))
    }
  })

  test('behavior: zero is in the first bucket, a value above the last bound only in +Inf', () => {
    expect(bucketsAfter(0).counts).toEqual(new Array(15).fill(1))
    expect(bucketsAfter(10.01).counts).toEqual([...new Array(14).fill(0), 1])
  })

  test('behavior: series are separate', () => {
    const metrics = createMetrics(help)
    metrics.histogram('duration_seconds', { route: 'a' }).observe(1)
    metrics.histogram('duration_seconds', { route: 'b' }).observe(2)
    metrics.histogram('duration_seconds', { route: 'a' }).observe(1)
    const sums = linesOf(metrics.expose()).filter((line) => /_(sum|count)/.test(line))
    expect(sums).toEqual([
      'duration_seconds_sum{route="a"} 2',
      'duration_seconds_count{route="a"} 2',
      'duration_seconds_sum{route="b"} 2',
      'duration_seconds_count{route="b"} 1',
    ])
  })
})

test('error: a metric without help cannot be created', () => {
  const metrics = createMetrics(help)
  expect(() => metrics.counter('mystery_total')).toThrowErrorMatchingInlineSnapshot(
    `[Error: metric mystery_total has no help text]`,
  )
  expect(() => metrics.histogram('mystery_seconds')).toThrow('metric mystery_seconds has no help text')
  expect(() => metrics.gauge('mystery', () => [])).toThrow('metric mystery has no help text')
  expect(metrics.expose()).toBe('\n')
})

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
