import { createLineWriter, openLog, systemTime } from '@tallystick/base'
import { loadConfig } from './config/config.ts'
import { startService } from './start-service.ts'
import { stopOnSignal } from './stop-on-signal.ts'

type RunOptions = { readonly config: string; readonly json: boolean; readonly logLevel: string }

/** Runs the service of a configuration file until a signal. Resolves when it is ready. */
export async function runService(
  { config: path, json, logLevel }: RunOptions,
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  const format = (line: string, event: object) => `${json ? JSON.stringify(event) : line}\n`
  const formatInfo = (line: string) => format(line, { event: 'info', message: line })
  const stdout = createLineWriter(1, { formatDropped: (count) => formatInfo(`${count} lines dropped`) })
  const say = (line: string) => stdout.write(formatInfo(line))
  const config = loadConfig(path, { env, secrets: 'required' })
  const { log, writer: stderr } = openLog(2, { level: logLevel })
  const writers = { stdout, stderr }
  const service = await startService({ config, time: systemTime, log, say, writers })
  const { baseUrl, adminUrl } = service
  stdout.write(format(`ready ${baseUrl}`, { event: 'ready', baseUrl, adminUrl }))
  const stop = async () => {
    await service.stop().finally(() => Promise.all([stdout.flush(), stderr.flush()]))
  }
  stopOnSignal({ stop }, { say })
}
