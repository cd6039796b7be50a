import type { Command } from 'commander'
import pino from 'pino'
import { createClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'

type ServeOptions = CommonOptions & { readonly logLevel: string }

export function addServeCommand(program: Command): void {
  addCommonOptions(program.command('serve').description('run the service'))
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent; the log goes to stderr as JSON', 'info')
    .action(async ({ config: path, json, logLevel }: ServeOptions) => {
      const tell = (line: string, event: object) => {
        process.stdout.write(`${json ? JSON.stringify(event) : line}\n`)
      }
      const say = (line: string) => tell(line, { event: 'info', message: line })
      // Only now: no other command needs the whole service, and loading it takes most of a second.
      const { startService } = await import('../main.ts')
      const config = loadConfig(path, { env: process.env, secrets: 'required' })
      const log = pino({ level: logLevel, base: null }, pino.destination(2))
      const service = await startService({ config, clock: createClock(), log, say })
      const { baseUrl, adminUrl } = service
      tell(`ready ${baseUrl}`, { event: 'ready', baseUrl, adminUrl })
      stopOnSignal(service, { say })
    })
}
