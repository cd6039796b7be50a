import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { measureBoundary } from './boundary.ts'
import { measureData } from './data.ts'
import { measureGrowth } from './growth.ts'
import { measureNotes } from './notes.ts'
import { formatResults, type Result } from './result.ts'
import { measureSubgraph } from './subgraph.ts'
import { hasWrk } from './wrk.ts'

// A baseline is measured in turns with its figure in the same run: the machines are noisy, the ratios are not.
const parts = {
  notes: measureNotes,
  boundary: measureBoundary,
  data: measureData,
  subgraph: measureSubgraph,
  growth: measureGrowth,
}
const wanted = process.argv.slice(2)
const results: Result[] = []
process.stderr.write(`peaks are taken with ${hasWrk ? 'wrk' : 'our own load generator: wrk is not installed'}\n`)
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`measuring ${name}\n`)
  results.push(...(await measure()))
}
writeFileSync(fileURLToPath(new URL('results.json', import.meta.url)), `${JSON.stringify(results, undefined, 2)}\n`)
process.stdout.write(`${formatResults(results)}\n`)
process.exit(0)
