import { basename, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'

export type SandboxOptions = {
  readonly port: number
  readonly dir: string
  /** Time of the service and the chains at the `ready` line, in Unix milliseconds. */
  readonly at?: number
  readonly fresh?: boolean
  /** Positions on each chain of a new history. */
  readonly positions?: number
  /** Number of chains. */
  readonly chains?: number
  /** Whether the page starts without a key, as a visitor's. */
  readonly visitors?: boolean
  /** Origin of pages that may show the page in a frame. */
  readonly frameAncestor?: string
  /** How this sandbox's user runs the command line: it comes with the repository, and not with the package of the sandbox. */
  readonly command: 'npx tallystick' | 'tallystick'
}

const packageCommand = 'tallystick-sandbox'
// 18:00 New York is 5 s later. Summer time ended in the morning of that day.
const exampleInstant = '2026-11-01T17:59:55-05:00'

/** Parses the command line. Exits with a message if an option is invalid. */
export function parseOptions(argv: readonly string[]): SandboxOptions {
  // `npm start` runs the built file, and the package a command.
  const isPackage = basename(argv[1] ?? '', '.js') === packageCommand
  const options = createCommand(isPackage ? packageCommand : 'npm start --')
    .parse(argv)
    .opts<Omit<SandboxOptions, 'command'>>()
  return { ...options, dir: resolve(options.dir), command: isPackage ? 'tallystick' : 'npx tallystick' }
}

export function createCommand(name = 'npm start --'): Command {
  return new Command(name)
    .description('Runs Tallystick on this machine with its own chains, certificates, signer, database and API key.')
    .option('--port <number>', 'HTTPS port, 0 for any free port', parsePort, 8443)
    .option('--dir <path>', 'directory for all files of the sandbox', parseDir, '.tallystick')
    .option('--at <instant>', `simulated start time, such as ${exampleInstant} (default: real time)`, parseAt)
    .option('--fresh', 'delete the directory and start with a new one')
    .option('--positions <n>', 'positions on each chain of a new history, 0 to 100000 (default: 40)', parsePositions)
    .option(
      '--chains <n>',
      'number of chains: 1 is chain 324, 2 adds chain 8453 (default: as many as the directory has, else 1)',
      parseChains,
    )
    .option('--visitors', 'open the page to visitors, who need no key (portal.visitors)')
    .option('--frame-ancestor <origin>', 'origin that may show the page in a frame, as a Safe does (default: none)')
    .helpOption('-h, --help', 'show this help')
}

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new InvalidArgumentError('Give a port from 0 to 65535.')
}

function parseDir(value: string): string {
  // An empty path would be the current directory, for example from a shell variable that is not set.
  if (value.trim() !== '') return value
  throw new InvalidArgumentError('Give the path of a directory.')
}

function parsePositions(value: string): number {
  // A node has its whole state in memory.
  if (/^\d{1,6}$/.test(value) && Number(value) <= 100_000) return Number(value)
  throw new InvalidArgumentError('Give a number from 0 to 100000.')
}

function parseChains(value: string): number {
  if (value === '1' || value === '2') return Number(value)
  throw new InvalidArgumentError('Give 1 or 2.')
}

function parseAt(value: string): number {
  const instantMs = Date.parse(value)
  // Without an offset the instant would depend on the time zone of this machine.
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(instantMs)) return instantMs
  throw new InvalidArgumentError(`Give an ISO 8601 instant with its offset, such as ${exampleInstant}.`)
}
