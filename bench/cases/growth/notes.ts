import { createBenchKey, createSite, pool, setBenchCurve } from '../../service.ts'
import { getOf, measureRestarted, type Sample } from './sample.ts'

/** Measures `GET /notes` with seven notes per chain. */
export async function measureManyNotes(count: number, url: string): Promise<Sample> {
  const chains = Array.from({ length: count / 7 }, (_, index) => ({ id: index + 1, name: `Chain ${index + 1}`, pool }))
  const site = createSite({ database: url, chains })
  setBenchCurve(site)
  return measureRestarted(site, { time: getOf('/notes', createBenchKey(site)) })
}
