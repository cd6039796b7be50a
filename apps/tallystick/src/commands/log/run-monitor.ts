import { type StartMonitorOptions, startMonitor } from '@tallystick/monitor'
import { isHttpUrl, stopOnSignal } from '@tallystick/service'
import { parseVerifierKey } from '@tallystick/tlog'
import type { Command } from 'commander'
import { exitCodes } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createUrlSchema } from '../url-option.ts'

export type MonitorCommandOptions = Pick<StartMonitorOptions, 'state' | 'once' | 'interval' | 'metrics' | 'json'> & {
  readonly key: string
  readonly rpc: readonly string[]
  readonly pool: readonly string[]
}

const keyFault =
  'error: --key is invalid. Give the key as <name>+<8 hex digits>+<base64>, as /log/key and the operator state it.'

type MonitorInvocation = {
  readonly options: MonitorCommandOptions
  readonly command: Command
  readonly terminal: Terminal
}

/** Runs the monitor until it has checked everything (`--once`) or a signal stops it. */
export async function runMonitor(url: string, { options, command, terminal }: MonitorInvocation): Promise<void> {
  if (!isHttpUrl(url)) {
    command.error('error: give the http or https URL of the log, without a user name or password in it')
  }
  const key = parseVerifierKey(options.key) ?? command.error(keyFault)
  const rpcs = parseRpcs(options.rpc, { schema: createUrlSchema(terminal.env), command })
  const pools = parsePools(options.pool, { rpcs, command })
  const { state, once, interval, metrics, json } = options
  const { stdout } = terminal
  const monitor = await startMonitor({ url, key, rpcs, pools, state, once, interval, metrics, json, stdout })
  if (!once) stopOnSignal(monitor, { say: monitor.say })
  const isWell = await monitor.finished
  terminal.exitCode = isWell ? exitCodes.done : exitCodes.failed
}

/** Parses the RPCs by chain. The messages do not contain a URL, which may contain a provider's key. */
function parseRpcs(
  values: readonly string[],
  { schema, command }: { readonly schema: ReturnType<typeof createUrlSchema>; readonly command: Command },
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
