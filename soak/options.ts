import { parseArgs } from 'node:util'

export type SoakOptions = {
  readonly minutes: number
  readonly seed: number
  readonly json: boolean
  readonly help: boolean
}

export const usage = `npm run soak -- [--minutes 10] [--seed <n>] [--json]

Runs two replicas on PostgreSQL, two chains, a remote subgraph and clients, injects faults on a schedule derived from the
seed, and checks the guarantees of the service. Exits with 0 if there was no violation, otherwise with 1.

  --minutes <n>  duration of the load, at least 7 (default 10), without the start and the final checks
  --seed <n>     seed of the schedule (default: random; the report shows it)
  --json         print the report as JSON
  --help         show this help
`

/** Parses the arguments. Throws if one is wrong. `newSeed` creates the default seed. */
export function parseOptions(argv: readonly string[], newSeed: () => number): SoakOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 7 && minutes <= 1_440)) throw new Error(`--minutes must be 7 to 1440, not "${values.minutes}".`)
  const seed = values.seed === undefined ? newSeed() : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, not "${values.seed}".`)
  return { minutes, seed, json: values.json, help: values.help }
}
