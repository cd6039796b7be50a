import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Gauge } from '../judges/growth.ts'
import type { Offsets, ProcessCommand, ProcessReply } from '../replica.ts'

/** Process of the service that is restarted when it ends, like by systemd. */
export type ServiceProcess = {
  readonly name: string
  readonly baseUrl: string
  readonly adminUrl: string
  /** Process id, or undefined while it is not running. */
  readonly pid: number | undefined
  readonly isReady: boolean
  /** Number of its starts. It increases at the start, because a process responds before its `ready` message arrives. */
  readonly runs: number
  /** Starts it and resolves when it is ready. Retries until it is. */
  start(): Promise<void>
  /** Ends it without a restart. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Sets the offsets of its clock and of the true time. Resolves when the process has confirmed them. */
  setOffsets(offsets: Offsets): Promise<void>
  gauge(): Promise<Gauge | undefined>
}

export type ServiceProcessOptions = {
  readonly name: string
  readonly directory: string
  readonly baseUrl: string
  readonly adminUrl: string
  readonly env: Readonly<Record<string, string>>
  /** Called when it ended unexpectedly. */
  readonly onCrash: (message: string) => void
  readonly offsets: () => Offsets
  /** Returns the directory of the checkout that the next start runs. By default this one. */
  readonly checkout?: (() => string) | undefined
  /** Returns the file to which the next start writes its log itself. By default the soak reads it. */
  readonly logPath?: (() => string | undefined) | undefined
}

export const ownCheckout = fileURLToPath(new URL('../..', import.meta.url))
const execArgv = ['--conditions=src', '--import', 'tsx', '--expose-gc']
const restartMs = 1_000
const answerMs = 10_000

export function createServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { name, directory, baseUrl, adminUrl } = options
  const waiting = new Map<number, (reply: ProcessReply & { readonly kind: 'done' }) => void>()
  let child: ChildProcess | undefined
  /** Promise that resolves when the child has ended. */
  let ended: Promise<undefined> = Promise.resolve(undefined)
  let isReady = false
  let isWanted = false
  let runs = 0
  let commandCount = 0

  const launch = () => {
    const { clockMs, trueMs } = options.offsets()
    const argv = [join(directory, 'tallystick.json'), String(clockMs), String(trueMs)]
    const cwd = options.checkout?.() ?? ownCheckout
    const env = { ...process.env, ...options.env }
    const logPath = options.logPath?.()
    const log = logPath === undefined ? 'pipe' : openSync(logPath, 'a')
    const stdio: StdioOptions = ['ignore', 'pipe', log, 'ipc']
    const started = fork(join(cwd, 'soak', 'replica.ts'), argv, { cwd, execArgv, env, stdio })
    if (log !== 'pipe') closeSync(log)
    const output = createWriteStream(join(directory, 'log'), { flags: 'a' })
    started.stdout?.pipe(output, { end: false })
    started.stderr?.pipe(output, { end: false })
    started.once('close', () => output.end())
    // Sending to a process that was just killed fails. The `exit` event handles its end.
    started.on('error', () => undefined)
    child = started
    runs++
    ended = once(started, 'exit').then(() => undefined)
    return started
  }
  /** Starts a child and resolves to whether it became ready. */
  const run = async () => {
    const started = launch()
    const ready = new Promise<boolean>((resolve) => {
      started.on('message', (reply: ProcessReply) => {
        if (reply.kind === 'done') waiting.get(reply.id)?.(reply)
        else resolve(true)
      })
      started.once('exit', () => resolve(false))
    })
    started.once('exit', (code, signal) => {
      const wasReady = isReady
      isReady = false
      if (child === started) child = undefined
      if (wasReady && isWanted) {
        options.onCrash(`${name} ended unexpectedly with ${signal ?? `code ${code}`}`)
        void start()
      }
    })
    return ready
  }
  const start = async () => {
    isWanted = true
    while (isWanted && !(await run())) await setTimeout(restartMs)
    if (!isWanted) return
    isReady = true
  }
  const command = async (make: (id: number) => ProcessCommand) => {
    const target = child
    if (!target?.connected) return undefined
    const id = ++commandCount
    const answered = new Promise<ProcessReply & { readonly kind: 'done' }>((resolve) => {
      waiting.set(id, resolve)
    })
    target.send(make(id))
    const reply = await Promise.race([answered, ended, setTimeout(answerMs, undefined, { ref: false })])
    waiting.delete(id)
    return reply
  }
  return {
    name,
    baseUrl,
    adminUrl,
    get pid() {
      return child?.pid
    },
    get isReady() {
      return isReady
    },
    get runs() {
      return runs
    },
    start,
    end: async (signal) => {
      isWanted = false
      const ending = child
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
      ending.kill(signal)
      // Kills a process that does not stop in time.
      const timer = globalThis.setTimeout(() => ending.kill('SIGKILL'), 25_000)
      await ended
      clearTimeout(timer)
    },
    setOffsets: async (offsets) => {
      await command((id) => ({ kind: 'offsets', ...offsets, id }))
    },
    gauge: async () => (await command((id) => ({ kind: 'gauge', id })))?.gauge,
  }
}
