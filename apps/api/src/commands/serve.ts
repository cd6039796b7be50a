import type { Command } from 'commander'
import { createClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { createLineWriter } from '../create-line-writer.ts'
import { openLog } from '../open-log.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import type { Terminal } from './terminal.ts'

type ServeOptions = CommonOptions & { readonly logLevel: string }

export function addServeCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('serve').description('run the service'))
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent; the log goes to stderr as JSON', 'info')
    .action(async ({ config: path, json, logLevel }: ServeOptions) => {
      const format = (line: string, event: object) => `${json ? JSON.stringify(event) : line}\n`
      const formatInfo = (line: string) => format(line, { event: 'info', message: line })
      const stdout = createLineWriter(1, { formatDropped: (count) => formatInfo(`${count} lines dropped`) })
      const say = (line: string) => stdout.write(formatInfo(line))
      // Imported here because it takes almost 1 s to load and no other command needs it.
      const { startService } = await import('../start-service.ts')
      const config = loadConfig(path, { env: terminal.env, secrets: 'required' })
      const { log, writer: stderr } = openLog(2, { level: logLevel })
      const writers = { stdout, stderr }
      const service = await startService({ config, clock: createClock(), log, say, writers })
      const { baseUrl, adminUrl } = service
      stdout.write(format(`ready ${baseUrl}`, { event: 'ready', baseUrl, adminUrl }))
      const stop = async () => {
        await service.stop()
        await Promise.all([stdout.flush(), stderr.flush()])
      }
      stopOnSignal({ stop }, { say })
    })
}
