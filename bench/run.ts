import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { measureNotes } from './notes.ts'
import { formatResults, type Result } from './result.ts'

// Each figure is a ratio to a baseline measured in turns with it in the same run: the machines are noisy, the ratios not.
const results: Result[] = [...(await measureNotes())]
writeFileSync(fileURLToPath(new URL('results.json', import.meta.url)), `${JSON.stringify(results, undefined, 2)}\n`)
process.stdout.write(`${formatResults(results)}\n`)
process.exit(0)
