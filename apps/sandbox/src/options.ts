import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'

export type SandboxOptions = {
  readonly port: number
  readonly dir: string
  /** The instant the sandbox believes in when it is ready, Unix milliseconds. */
  readonly at: number | undefined
  readonly fresh: boolean
  /** How many positions a new history has; undefined if not said. */
  readonly positions: number | undefined
}

/** Reads the command line. Ends the process with a message if it makes no sense. */
export function parseOptions(argv: readonly string[]): SandboxOptions {
  const command = new Command('npm start --')
    .description('Tallystick on this machine alone: its own chain, certificates, signer, database and key.')
    .option('--port <number>', 'HTTPS port (0 takes a free one)', parsePort, 8443)
    .option('--dir <path>', 'where everything is kept', '.tallystick')
    .option(
      '--at <instant>',
      'the time to believe in, such as 2026-11-01T17:59:55-04:00 (real time if left out)',
      parseAt,
    )
    .option('--fresh', 'forget what is in the directory and start anew', false)
    .option('--positions <n>', 'how many positions a new history has (40 if left out)', parsePositions)
    .parse(argv as string[])
  const { port, dir, at, fresh, positions } = command.opts<{
    port: number
    dir: string
    at?: number
    fresh: boolean
    positions?: number
  }>()
  return { port, dir: resolve(dir), at, fresh, positions }
}

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new InvalidArgumentError('Give a port from 0 to 65535.')
}

function parsePositions(value: string): number {
  // More than the node holds in memory at ease.
  if (/^\d{1,6}$/.test(value) && Number(value) <= 100_000) return Number(value)
  throw new InvalidArgumentError('Give a number from 0 to 100000.')
}

function parseAt(value: string): number {
  const instantMs = Date.parse(value)
  // Without an offset it would mean the time of this machine's zone, which is nobody's intention here.
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(instantMs)) return instantMs
  throw new InvalidArgumentError('Give an ISO 8601 instant with its offset, such as 2026-11-01T17:59:55-04:00.')
}
