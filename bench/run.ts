import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describePostgres } from '@tallystick/workbench/postgres'
import { measureBoundary } from './cases/boundary.ts'
import { measureCluster } from './cases/cluster.ts'
import { measureCores } from './cases/cores.ts'
import { measureData } from './cases/data.ts'
import { measureEvents } from './cases/events.ts'
import { measureGrowth } from './cases/growth/measure-growth.ts'
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
import { combineRuns, formatResults, type Result } from './result.ts'
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
const usage = `npm run bench -- [--runs <n>] [--compare] [part ...]

Parts: ${names.join(', ')}. Without a part, all are measured, which takes about forty minutes.

With --runs, all is measured several times in a row, and a target is met if every run meets it. bench/results.json keeps the
last figures. With --compare, a ratio that is worse than every round of the last run is listed, the status is 1, and the
last figures are kept.
`
const { isCompared, runCount, wanted } = readOptions()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.setMaxListeners(0)
const [processor] = cpus()
const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
process.stderr.write(`commit ${commit}\n`)
process.stderr.write(`Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores`)
process.stderr.write(` (${processor?.model})\n`)
process.stderr.write(`load generator: ${hasWrk ? 'wrk' : 'bench/load.ts, because wrk is not installed'}\n`)
process.stderr.write(`database server: ${await describePostgres().catch(({ message }: Error) => message)}\n`)
const runs: (readonly Result[])[] = []
while (runs.length < runCount) runs.push(await measureOnce())
const results = combineRuns(runs)
process.stdout.write(`${formatResults(results)}\n`)
process.exit(keepResults(fileURLToPath(new URL('results.json', import.meta.url)), results, isCompared) ? 0 : 1)

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        compare: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        runs: { type: 'string', default: '1' },
      },
    })
    if (values.help) exitWith(0, usage)
    const unknown = positionals.filter((name) => !names.includes(name))
    if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}.`)
    if (!/^[1-9]\d?$/.test(values.runs)) throw new Error(`--runs must be a number from 1 to 99, not "${values.runs}".`)
    return { isCompared: values.compare, runCount: Number(values.runs), wanted: positionals }
  } catch (error) {
    return exitWith(1, `${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}

function exitWith(status: number, text: string): never {
  process.stderr.write(text)
  process.exit(status)
}

async function measureOnce(): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stderr.write(`measuring ${name}, run ${runs.length + 1} of ${runCount}\n`)
    const measured = await measure()
    process.stderr.write(`${formatResults(measured)}\n\n`)
    for (const { name, source } of measured) if (source) process.stderr.write(`${name}: logs served by ${source}\n`)
    results.push(...measured)
  }
  return results
}
