import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describePostgres } from '@tallystick/workbench/postgres'
import { measureBoundary } from './cases/boundary.ts'
import { measureCluster } from './cases/cluster.ts'
import { measureCores } from './cases/cores.ts'
import { measureData } from './cases/data.ts'
import { measureEvents } from './cases/events.ts'
import { measureGrowth } from './cases/growth.ts'
import { measureIdle } from './cases/idle.ts'
import { measureLimit } from './cases/limit.ts'
import { measureLogAppend } from './cases/log-append.ts'
import { measureNotes } from './cases/notes.ts'
import { measureProxy } from './cases/proxy.ts'
import { measureStart } from './cases/start.ts'
import { measureStrangers } from './cases/strangers.ts'
import { measureSubgraph } from './cases/subgraph.ts'
import { measureVerify } from './cases/verify.ts'
import { keepResults } from './keep-results.ts'
import { formatResults, type Result } from './result.ts'
import { hasWrk } from './wrk.ts'

// A baseline is measured in turns with its figure: the values are noisy, the ratios are stable.
const parts = {
  notes: measureNotes,
  proxy: measureProxy,
  limit: measureLimit,
  cores: measureCores,
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
  start: measureStart,
}
const names = Object.keys(parts)
const isCompared = process.argv.includes('--compare')
const wanted = process.argv.slice(2).filter((name) => name !== '--compare')
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  const isHelp = unknown.includes('--help')
  const usage = `npm run bench -- [--compare] [part ...]

Parts: ${names.join(', ')}. Without a part, all are measured, which takes about forty minutes.

bench/results.json keeps the last figures. With --compare, a ratio that is worse than every round of the last run is listed,
the status is 1, and the last figures are kept.
`
  process.stderr.write(isHelp ? usage : `Unknown part: ${unknown.join(', ')}.\n\n${usage}`)
  process.exit(isHelp ? 0 : 1)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.setMaxListeners(0)
const [processor] = cpus()
const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
process.stderr.write(`commit ${commit}\n`)
process.stderr.write(`Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores`)
process.stderr.write(` (${processor?.model})\n`)
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
process.stdout.write(`${formatResults(results)}\n`)
process.exit(keepResults(fileURLToPath(new URL('results.json', import.meta.url)), results, isCompared) ? 0 : 1)
