import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { measureData } from './data.ts'
import { measureNotes } from './notes.ts'
import { formatResults, type Result } from './result.ts'
import { measureSubgraph } from './subgraph.ts'

// A baseline is measured in turns with its figure in the same run: the machines are noisy, the ratios are not.
const parts = { notes: measureNotes, data: measureData, subgraph: measureSubgraph }
const wanted = process.argv.slice(2)
const results: Result[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) results.push(...(await measure()))
}
writeFileSync(fileURLToPath(new URL('results.json', import.meta.url)), `${JSON.stringify(results, undefined, 2)}\n`)
process.stdout.write(`${formatResults(results)}\n`)
process.exit(0)
