import { parseArgs } from 'node:util'

export type SoakOptions = {
  readonly minutes: number
  readonly seed: number
  /** Whether a Prometheus with the rules of the kit watches the run. */
  readonly alerts: boolean
  readonly json: boolean
  readonly help: boolean
  /** Tag, branch or commit of the release before. With it, the soak is a rolling upgrade. */
  readonly upgradeFrom?: string | undefined
}

export const usage = `npm run soak -- [--minutes 10] [--seed <n>] [--alerts] [--json] [--upgrade-from <ref>]

Runs two replicas on PostgreSQL, two chains, a remote subgraph and clients, injects faults on a schedule derived from the
seed, and checks the guarantees of the service. Exits with 0 if there was no violation, otherwise with 1.

  --minutes <n>  duration of the load, at least 3 (default 10), without the start and the final checks.
                 Less than 7 have only some of the faults, chosen by the seed
  --seed <n>     seed of the schedule (default: random; the report shows it)
  --alerts       run Prometheus with the rules of deploy/prometheus (on the PATH, or PROMETHEUS_PATH), cause the alerts that
                 no fault causes, and report each
  --json         print the report as JSON
  --upgrade-from <ref>
                 test a rolling upgrade from that tag, branch or commit to this version and back, about four minutes
                 after the installation, instead of the faults
  --help         show this help
`

/** Parses the arguments. Throws if one is wrong. `newSeed` creates the default seed. */
export function parseOptions(argv: readonly string[], newSeed: () => number): SoakOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
      'upgrade-from': { type: 'string' },
      alerts: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 3 && minutes <= 1_440)) throw new Error(`--minutes must be 3 to 1440, not "${values.minutes}".`)
  const seed = values.seed === undefined ? newSeed() : Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, not "${values.seed}".`)
  const upgradeFrom = values['upgrade-from']
  // git would take the first for an option.
  if (upgradeFrom?.startsWith('-') || upgradeFrom === '')
    throw new Error('--upgrade-from needs a tag, branch or commit.')
  return {
    minutes,
    seed,
    alerts: values.alerts,
    json: values.json,
    help: values.help,
    ...(upgradeFrom !== undefined && { upgradeFrom }),
  }
}
