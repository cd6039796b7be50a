type Labels = Readonly<Record<string, string | number>>

/** One series of a counter. Frequent callers keep it. */
export type Counter = { increment(): void }

export type Metrics = {
  /** Returns the series of a counter with these labels. */
  counter(family: string, labels?: Labels): Counter
  /** Returns the series of a histogram with these labels. Observations are in seconds. */
  histogram(family: string, labels?: Labels): { observe(seconds: number): void }
  /** Adds a gauge whose series are read at each scrape. */
  gauge(family: string, read: ReadSeries): void
  /** Adds a summary whose series, one for each label `quantile`, are read at each scrape. */
  summary(family: string, read: ReadSeries): void
  /** Adds a counter whose series are read at each scrape. */
  readCounter(family: string, read: ReadSeries): void
  /** Returns the present series of a gauge, a summary or a read counter. Empty if there is no such family. */
  read(family: string): ReturnType<ReadSeries>
  /** Returns all metrics in Prometheus' text format 0.0.4. */
  expose(): string
}

/** Reads the series of a family at the time of a scrape. */
type ReadSeries = () => Iterable<{ readonly labels?: Labels; readonly value: number }>

/** Help text of each family. A metric without one cannot be created. */
export type MetricHelp = Readonly<Record<string, string>>

type Family = {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  lines(name: string): string[]
  /** Undefined if the family counts or observes itself. */
  readonly read?: ReadSeries | undefined
}

// A note is served from memory in well under 1 ms. An upstream may take its whole timeout.
const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Creates a small registry. The hot path increments a plain number. Text is formatted only at a scrape. Labels come from
 * fixed sets (routes, statuses, chains, reasons), never from a caller, so the number of series is bounded.
 */
export function createMetrics(help: MetricHelp): Metrics {
  const families = new Map<string, Family>()
  /** Series of each family, by name and labels. */
  const series = new Map<string, Map<string, unknown>>()

  const declare = (name: string, type: Family['type'], lines: Family['lines'], read?: ReadSeries) => {
    if (!Object.hasOwn(help, name)) throw new Error(`metric ${name} has no help text`)
    if (!families.has(name)) families.set(name, { type, lines, read })
  }
  const find = <Series>(name: string, labels: Labels | undefined, create: () => Series): Series => {
    const id = name + formatLabels(labels)
    const family = series.get(name) ?? new Map<string, unknown>()
    const known = family.get(id) as Series | undefined
    if (known) return known
    const created = create()
    series.set(name, family.set(id, created))
    return created
  }
  const ofFamily = <Series>(name: string) => [...(series.get(name) ?? [])] as [string, Series][]

  return {
    counter: (family, labels) => {
      declare(family, 'counter', (name) => ofFamily<{ value: number }>(name).map(([id, { value }]) => `${id} ${value}`))
      return find(family, labels, createCounter)
    },
    histogram: (family, labels) => {
      declare(family, 'histogram', (name) =>
        ofFamily<Histogram>(name).flatMap(([, histogram]) => histogram.lines(name)),
      )
      return find(family, labels, () => createHistogram(labels))
    },
    gauge: (family, read) => declare(family, 'gauge', (name) => formatSeries(name, read), read),
    summary: (family, read) => declare(family, 'summary', (name) => formatSeries(name, read), read),
    readCounter: (family, read) => declare(family, 'counter', (name) => formatSeries(name, read), read),
    read: (family) => families.get(family)?.read?.() ?? [],
    expose: () =>
      [...families]
        .flatMap(([name, { type, lines }]) => [
          `# HELP ${name} ${help[name]}`,
          `# TYPE ${name} ${type}`,
          ...lines(name),
        ])
        .join('\n')
        .concat('\n'),
  }
}

function formatSeries(name: string, read: ReadSeries): string[] {
  return [...read()].map(({ labels, value }) => `${name}${formatLabels(labels)} ${value}`)
}

function createCounter() {
  const counter = {
    value: 0,
    increment: () => {
      counter.value++
    },
  }
  return counter
}

type Histogram = ReturnType<typeof createHistogram>

function createHistogram(labels: Labels = {}) {
  const counts = new Array<number>(bucketsSeconds.length + 1).fill(0)
  let sum = 0
  return {
    observe: (seconds: number) => {
      sum += seconds
      let bucket = 0
      while (bucket < bucketsSeconds.length && seconds > (bucketsSeconds[bucket] as number)) bucket++
      counts[bucket] = (counts[bucket] as number) + 1
    },
    lines: (name: string) => {
      let total = 0
      const buckets = counts.map((count, index) => {
        total += count
        return `${name}_bucket${formatLabels({ ...labels, le: bucketsSeconds[index] ?? '+Inf' })} ${total}`
      })
      return [...buckets, `${name}_sum${formatLabels(labels)} ${sum}`, `${name}_count${formatLabels(labels)} ${total}`]
    },
  }
}

function formatLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, escapeCharacter)}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeCharacter(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}
