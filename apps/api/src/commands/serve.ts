import type { Command } from 'commander'
import pino from 'pino'
import { createClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { type Service, startService } from '../main.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import { exitCodes } from './output.ts'

type ServeOptions = CommonOptions & { readonly logLevel: string }

export function addServeCommand(program: Command): void {
  addCommonOptions(program.command('serve').description('run the service'))
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent; the log goes to stderr as JSON', 'info')
    .action(async ({ config: path, json, logLevel }: ServeOptions) => {
      const tell = (line: string, event: object) => {
        process.stdout.write(`${json ? JSON.stringify(event) : line}\n`)
      }
      const say = (line: string) => tell(line, { event: 'info', message: line })
      const config = loadConfig(path, { env: process.env, secrets: 'required' })
      const log = pino({ level: logLevel, base: null }, pino.destination(2))
      const service = await startService({ config, clock: createClock(), log, say })
      const { baseUrl, adminUrl } = service
      tell(`ready ${baseUrl}`, { event: 'ready', baseUrl, adminUrl })
      stopOnSignal(service, { say })
    })
}

/** The first signal finishes what is under way; a second one does not wait for it. */
export function stopOnSignal(service: Pick<Service, 'stop'>, { say }: { readonly say: (line: string) => void }): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(exitCodes.failed)
    stopping = true
    say(`${signal}: finishing what is under way (once more to stop at once)`)
    service.stop().then(
      () => process.exit(exitCodes.done),
      (error) => {
        process.stderr.write(`stopping failed: ${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(exitCodes.failed)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
