import { readdirSync } from 'node:fs'
import { openLog, systemTime, type Time } from '@tallystick/base'
import { loadConfig, startService, stopOnSignal } from '@tallystick/service'
import type { Gauge } from './judges/growth.ts'

/** Offsets of a process's clock and of the true time from the clock of this machine, in milliseconds. */
export type Offsets = { readonly clockMs: number; readonly trueMs: number }

/** Command of the soak to a process of the service. It is sent with an `id`, which the reply repeats. */
export type ProcessCommand = ({ readonly kind: 'offsets' } & Offsets) | { readonly kind: 'gauge' }

/** Message from the process to the soak. */
export type ProcessReply =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly adminUrl: string }
  | { readonly kind: 'done'; readonly id: number; readonly gauge?: Gauge | undefined }

// Like `tallystick serve`, but the soak moves the clock.
const [, , configPath = '', firstClockMs = '0', firstTrueMs = '0'] = process.argv
let offsets: Offsets = { clockMs: Number(firstClockMs), trueMs: Number(firstTrueMs) }
const time: Time = { ...systemTime, now: () => Date.now() + offsets.clockMs }
const sendReply = (reply: ProcessReply) => process.send?.(reply)
process.on('disconnect', () => process.exit(1))
process.on('message', (command: ProcessCommand & { readonly id: number }) => {
  if (command.kind === 'offsets') {
    offsets = command
    sendReply({ kind: 'done', id: command.id })
  } else sendReply({ kind: 'done', id: command.id, gauge: measure() })
})

const config = loadConfig(configPath, { env: process.env, secrets: 'required' })
const { log, writer: stderr } = openLog(2)
const say = (line: string) => void process.stdout.write(`${line}\n`)
const writers = { stderr }
const service = await startService({ config, time, log, say, writers, databaseShiftMs: () => offsets.trueMs })
stopOnSignal(service, { say })
sendReply({ kind: 'ready', baseUrl: service.baseUrl, adminUrl: service.adminUrl })

function measure(): Gauge {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
  return { heapBytes: heapUsed, rssBytes: rss, descriptors, resources }
}
