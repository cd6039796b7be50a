import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import type { Result } from '../../result.ts'
import { measureEvents, measurePositions, measureQueries } from './data.ts'
import { measureHistory } from './history.ts'
import { measureKeys } from './keys.ts'
import { measureLog } from './log.ts'
import { measureManyNotes } from './notes.ts'
import { type Dimension, factor, type Sample } from './sample.ts'

const dimensions: readonly Dimension[] = [
  { name: 'keys', once: 50, measure: measureKeys, atMost: { rss: 1.5, time: 1.5 } },
  { name: 'notes', once: 7, measure: measureManyNotes, atMost: { rss: 2, time: factor } },
  { name: 'positions', once: 2_000, measure: measurePositions, atMost: { rss: 1.5, time: 1.5 } },
  { name: 'queries', once: 100, measure: measureQueries, atMost: { rss: 2, time: 1.5 } },
  { name: 'log', once: 10_000, measure: measureLog, atMost: { rss: 2, time: 1.5 } },
  { name: 'events', once: 100_000, measure: measureEvents, atMost: { rss: 1.5, time: 1.5 } },
  // A third of a year, and 33 years.
  { name: 'history', once: 240, measure: measureHistory, atMost: { rss: 2, time: 1.5 } },
]

/** Measures the memory under load with a remote subgraph, and the effect of 100 times the amount of each quantity. */
export async function measureGrowth(): Promise<Result[]> {
  const postgres = await startPostgres()
  const results: Result[] = []
  for (const { name, once, measure, atMost } of dimensions) {
    const small = await measure(once, await newDatabase(postgres))
    const large = await measure(once * factor, await newDatabase(postgres))
    if (name === 'queries') {
      results.push({ name: 'memory.rss', value: small.rssMb, unit: 'MB', baseline: null, ratio: null })
    }
    const figure = (what: string, unit: string, read: (sample: Sample) => number) => {
      const [value, baseline] = [read(large), read(small)]
      return { name: `growth.${name}.${what}`, value, unit, baseline, ratio: value / baseline }
    }
    results.push({ ...figure('rss', 'MB', ({ rssMb }) => rssMb), target: { atMost: atMost.rss } })
    for (const kind of Object.keys(small.times)) {
      const timed = figure(kind, 'ms', ({ times }) => times[kind] as number)
      results.push({ ...timed, target: { atMost: atMost.time } })
    }
    if (small.startMs !== undefined) results.push(figure('start', 'ms', ({ startMs }) => startMs as number))
  }
  await postgres.stop()
  return results
}

let databases = 0

async function newDatabase(postgres: PostgresServer): Promise<string> {
  const name = `growth_${databases++}`
  await postgres.createDatabase(name)
  return postgres.url(name)
}
