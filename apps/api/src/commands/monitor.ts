import { type Command, InvalidArgumentError } from 'commander'
import type { secretUrlSchema } from '../config-secrets.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { addExamples } from './examples.ts'
import { exitCodes } from './output.ts'
import type { Terminal } from './terminal.ts'

type MonitorCommandOptions = {
  readonly key: string
  readonly state?: string | undefined
  readonly rpc: readonly string[]
  readonly pool: readonly string[]
  readonly once: boolean
  readonly interval: number
  readonly metrics?: { readonly host: string; readonly port: number } | undefined
  readonly json: boolean
}

const exampleKey = 'notes.example/log+ffb20d45+AW2hSqro1+e+ox0NNeeiiHWsuSTuxxetAssxB6ueLmmS'

const keyFault =
  'error: --key is invalid. Give the key as <name>+<8 hex digits>+<base64>, as /log/key and the operator state it.'

export function addMonitorCommand(program: Command, terminal: Terminal): void {
  const monitor = program
    .command('monitor')
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
    .option('--interval <seconds>', 'time between two checks', parseSeconds, 15)
    .option('--metrics <host:port>', 'serve Prometheus metrics at http://<host:port>/metrics', parseListen)
    .option('--json', 'print one JSON object per line instead of text', false)
    .action(async (url: string, options: MonitorCommandOptions, command: Command) => {
      const [{ isHttpUrl, secretUrlSchema: createSchema }, { parseVerifierKey }] = await Promise.all([
        import('../config-secrets.ts'),
        import('@tallystick/core/transparency/verifier-key'),
      ])
      if (!isHttpUrl(url)) {
        command.error('error: give the http or https URL of the log, without a user name or password in it')
      }
      const key = parseVerifierKey(options.key) ?? command.error(keyFault)
      const schema = createSchema({ env: terminal.env, secrets: 'required', baseDirectory: process.cwd() })
      const rpcs = parseRpcs(options.rpc, { schema, command })
      const pools = parsePools(options.pool, { rpcs, command })
      const { startMonitor } = await import('../monitor/start-monitor.ts')
      const monitor = await startMonitor({ ...options, key, url, rpcs, pools, stdout: terminal.stdout })
      if (!options.once) stopOnSignal(monitor, { say: monitor.say })
      const isWell = await monitor.finished
      terminal.exitCode = isWell ? exitCodes.done : exitCodes.failed
    })
  addExamples(
    monitor,
    `monitor https://notes.example --key ${exampleKey} --once`,
    `monitor https://notes.example --key ${exampleKey} --state state.json --rpc 324=env:RPC_324 --metrics 127.0.0.1:9465`,
  )
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
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
  { schema, command }: { readonly schema: ReturnType<typeof secretUrlSchema>; readonly command: Command },
): ReadonlyMap<number, readonly string[]> {
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

function parsePools(
  values: readonly string[],
  { rpcs, command }: { readonly rpcs: ReadonlyMap<number, unknown>; readonly command: Command },
): ReadonlyMap<number, readonly string[]> {
  const pools = new Map<number, readonly string[]>()
  for (const value of values) {
    const [, chain = '', pool = ''] = /^([1-9]\d{0,14})=(0x[0-9a-fA-F]{40})$/.exec(value) ?? []
    if (!chain) command.error('error: give --pool as <chain id>=<address>')
    if (!rpcs.has(Number(chain))) command.error(`error: --pool of chain ${chain} needs an --rpc of that chain`)
    pools.set(Number(chain), [...(pools.get(Number(chain)) ?? []), pool])
  }
  return pools
}
