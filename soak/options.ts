import { parseArgs } from 'node:util'

export type SoakOptions = {
  readonly minutes: number
  readonly seed: number
  readonly json: boolean
  readonly help: boolean
}

export const usage = `npm run soak -- [--minutes 10] [--seed <n>] [--json]

Runs two replicas on PostgreSQL, two chains, a remote subgraph and callers, injects faults on a schedule that the seed
decides, and checks all the while what the service promises. Ends with 0 if nothing was broken, else with 1.

  --minutes <n>  how long the load lasts, 7 at least (default 10); start and end checks come on top
  --seed <n>     which schedule (default: a new one, which the report names)
  --json         the report as JSON
  --help         this
`

/** Throws with what is wrong. `newSeed` is taken where none is given. */
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
