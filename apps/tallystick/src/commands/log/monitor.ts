import { type Command, InvalidArgumentError } from 'commander'
import { addExamples, wholeNumber } from '../options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { MonitorCommandOptions } from './run-monitor.ts'

const exampleKey = 'notes.example/log+ffb20d45+AW2hSqro1+e+ox0NNeeiiHWsuSTuxxetAssxB6ueLmmS'

export function addMonitorCommand(program: Command, terminal: Terminal): void {
  addExamples(
    program.command('monitor'),
    `monitor https://notes.example --key ${exampleKey} --once`,
    `monitor https://notes.example --key ${exampleKey} --state state.json --rpc 324=env:RPC_324 --metrics 127.0.0.1:9465`,
  )
    .description('check the public log of a service, and the lends on its chains; needs no configuration')
    .argument('<url>', 'URL of the service, of its log (…/log), or of a copy of the log')
    .requiredOption('--key <verifier key>', 'public key of the log, as its operator publishes it')
    .option('--state <file>', 'file that keeps the progress and the last checkpoint (default: memory)')
    .option(
      '--rpc <chain=url>',
      'RPC of a chain, to check its lends: a URL, env:NAME or file:path; may be repeated',
      collect,
      [],
    )
    .option(
      '--pool <chain=address>',
      'pool whose lends are checked even if the log does not name it; may be repeated',
      collect,
      [],
    )
    .option(
      '--once',
      'check what is new and exit: 0 without findings, 1 with a finding or a failed check; silent if nothing is new',
      false,
    )
    .option(
      '--interval <seconds>',
      'time between two checks',
      wholeNumber(1, 3_600, 'Give whole seconds from 1 to 3600.'),
      15,
    )
    .option('--metrics <host:port>', 'serve Prometheus metrics at http://<host:port>/metrics', parseListen)
    .option('--json', 'print one JSON object per line instead of text', false)
    .action(async (url: string, options: MonitorCommandOptions, command: Command) => {
      const { runMonitor } = await import('./run-monitor.ts')
      await runMonitor(url, { options, command, terminal })
    })
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
}

function parseListen(value: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value) ?? []
  const host = bracketed ?? plain
  if (host && Number(port) <= 65_535) return { host, port: Number(port) }
  throw new InvalidArgumentError('Give a host and a port, such as 127.0.0.1:9465.')
}
