import { parseVerifierKey, type VerifierKey } from '@tallystick/core/transparency/verifier-key'
import { type Command, InvalidArgumentError } from 'commander'
import { httpUrl, secretUrlSchema } from '../config-secrets.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { exitCodes } from './output.ts'
import type { Terminal } from './terminal.ts'

type MonitorCommandOptions = {
  readonly key: VerifierKey
  readonly state?: string | undefined
  readonly rpc: readonly string[]
  readonly once: boolean
  readonly interval: number
  readonly metrics?: { readonly host: string; readonly port: number } | undefined
  readonly json: boolean
}

export function addMonitorCommand(program: Command, terminal: Terminal): void {
  program
    .command('monitor')
    .description('check the public log of a service, and the lends on its chains; needs no configuration')
    .argument('<url>', 'URL of the service, of its log (…/log), or of a copy of the log')
    .requiredOption('--key <verifier key>', 'public key of the log, as its operator publishes it', parseKey)
    .option('--state <file>', 'file that keeps the progress and the last checkpoint (default: memory)')
    .option(
      '--rpc <chain=url>',
      'RPC of a chain, to check its lends: a URL, env:NAME or file:path; may be repeated',
      collect,
      [],
    )
    .option('--once', 'check all that is new and exit: 0 if all is well, 1 if not', false)
    .option('--interval <seconds>', 'time between two checks', parseSeconds, 15)
    .option('--metrics <host:port>', 'serve Prometheus metrics at http://<host:port>/metrics', parseListen)
    .option('--json', 'print one JSON object per line instead of text', false)
    .action(async (url: string, options: MonitorCommandOptions, command: Command) => {
      if (!httpUrl.safeParse(url).success) {
        command.error('error: give the http or https URL of the log, without a user name or password in it')
      }
      const rpcs = parseRpcs(options.rpc, { env: terminal.env, command })
      const { startMonitor } = await import('../monitor/start-monitor.ts')
      const monitor = await startMonitor({ ...options, url, rpcs, stdout: terminal.stdout })
      if (!options.once) stopOnSignal(monitor, { say: monitor.say })
      const isWell = await monitor.finished
      terminal.exitCode = isWell ? exitCodes.done : exitCodes.failed
    })
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
}

function parseKey(value: string): VerifierKey {
  const key = parseVerifierKey(value)
  if (key) return key
  throw new InvalidArgumentError(
    'Give the key as <name>+<8 hex digits>+<base64>, as /log/key and the operator state it.',
  )
}

function parseSeconds(value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= 3_600) return Number(value)
  throw new InvalidArgumentError('Give whole seconds from 1 to 3600.')
}

function parseListen(value: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value) ?? []
  const host = bracketed ?? plain
  if (host && Number(port) <= 65_535) return { host, port: Number(port) }
  throw new InvalidArgumentError('Give a host and a port, such as 127.0.0.1:9465.')
}

/** Parses the RPCs by chain. The messages do not contain a URL, which may contain a provider's key. */
function parseRpcs(
  values: readonly string[],
  { env, command }: { readonly env: Terminal['env']; readonly command: Command },
): ReadonlyMap<number, readonly string[]> {
  const schema = secretUrlSchema({ env, secrets: 'required', baseDirectory: process.cwd() })
  const rpcs = new Map<number, readonly string[]>()
  for (const value of values) {
    const [, chain = '', reference = ''] = /^([1-9]\d{0,14})=(.+)$/s.exec(value) ?? []
    if (!chain) command.error('error: give --rpc as <chain id>=<url>, such as 324=https://rpc.example')
    const { data, error } = schema.safeParse(reference)
    if (data === undefined) return command.error(`error: --rpc of chain ${chain} ${error?.issues[0]?.message}`)
    rpcs.set(Number(chain), [...(rpcs.get(Number(chain)) ?? []), data])
  }
  return rpcs
}
