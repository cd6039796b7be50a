import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describePostgres } from '@tallystick/workbench/postgres'
import { measureBoundary } from './cases/boundary.ts'
import { measureCluster } from './cases/cluster.ts'
import { measureData } from './cases/data.ts'
import { measureEvents } from './cases/events.ts'
import { measureGrowth } from './cases/growth.ts'
import { measureIdle } from './cases/idle.ts'
import { measureLimit } from './cases/limit.ts'
import { measureLogAppend } from './cases/log-append.ts'
import { measureNotes } from './cases/notes.ts'
import { measureProxy } from './cases/proxy.ts'
import { measureStrangers } from './cases/strangers.ts'
import { measureSubgraph } from './cases/subgraph.ts'
import { measureVerify } from './cases/verify.ts'
import { formatResults, type Result } from './result.ts'
import { hasWrk } from './wrk.ts'

// A baseline is measured in turns with its figure: the values are noisy, the ratios are stable.
const parts = {
  notes: measureNotes,
  proxy: measureProxy,
  limit: measureLimit,
  boundary: measureBoundary,
  logAppend: measureLogAppend,
  data: measureData,
  subgraph: measureSubgraph,
  growth: measureGrowth,
  strangers: measureStrangers,
  verify: measureVerify,
  events: measureEvents,
  cluster: measureCluster,
  idle: measureIdle,
}
const names = Object.keys(parts)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  const isHelp = unknown.includes('--help')
  const usage = `npm run bench -- [part ...]\n\nParts: ${names.join(', ')}. Without a part, all are measured, which takes about thirty minutes.\n`
  process.stderr.write(isHelp ? usage : `Unknown part: ${unknown.join(', ')}.\n\n${usage}`)
  process.exit(isHelp ? 0 : 1)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.setMaxListeners(0)
process.stderr.write(`Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores\n`)
process.stderr.write(`load generator: ${hasWrk ? 'wrk' : 'bench/load.ts, because wrk is not installed'}\n`)
process.stderr.write(`database server: ${await describePostgres().catch(({ message }: Error) => message)}\n`)
const results: Result[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`measuring ${name}\n`)
  const measured = await measure()
  process.stderr.write(`${formatResults(measured)}\n\n`)
  for (const { name, source } of measured) if (source) process.stderr.write(`${name}: logs served by ${source}\n`)
  results.push(...measured)
}
writeFileSync(fileURLToPath(new URL('results.json', import.meta.url)), `${JSON.stringify(results, undefined, 2)}\n`)
process.stdout.write(`${formatResults(results)}\n`)
process.exit(0)
