import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
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
// A process that does not stop by then is killed.
const stopMs = 25_000

export function createServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { name, baseUrl, adminUrl, onCrash } = options
  let current: Run | undefined
  let runs = 0
  let isReady = false
  let isWanted = false

  /** Starts the process once. Resolves to whether it became ready. */
  const launch = (): Promise<boolean> => {
    const run = startRun(options)
    current = run
    runs++
    void run.ended.then((end) => {
      const wasReady = isReady
      isReady = false
      if (current === run) current = undefined
      if (!wasReady || !isWanted) return
      onCrash(`${name} ended unexpectedly with ${end}`)
      void start()
    })
    return run.ready
  }
  const start = async () => {
    isWanted = true
    while (isWanted && !(await launch())) await setTimeout(restartMs)
    isReady = isWanted
  }
  return {
    name,
    baseUrl,
    adminUrl,
    get pid() {
      return current?.child.pid
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
      if (!current) return
      const { child, ended } = current
      child.kill(signal)
      const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), stopMs)
      await ended
      clearTimeout(timer)
    },
    setOffsets: async (offsets) => {
      await current?.send({ kind: 'offsets', ...offsets })
    },
    gauge: async () => (await current?.send({ kind: 'gauge' }))?.gauge,
  }
}

type Done = ProcessReply & { readonly kind: 'done' }

/** The process from one start to its end. */
type Run = {
  readonly child: ChildProcess
  /** Resolves to whether the process became ready before it ended. */
  readonly ready: Promise<boolean>
  /** Resolves to the signal or the exit code. */
  readonly ended: Promise<string>
  /** Sends a command. Resolves to undefined if the process ends or does not confirm it in time. */
  send(command: ProcessCommand): Promise<Done | undefined>
}

function startRun(options: ServiceProcessOptions): Run {
  const child = forkReplica(options)
  const waiting = new Map<number, (reply: Done) => void>()
  let commandCount = 0
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
  })
  const ready = new Promise<boolean>((resolve) => {
    child.on('message', (reply: ProcessReply) => {
      if (reply.kind === 'done') waiting.get(reply.id)?.(reply)
      else resolve(true)
    })
    void ended.then(() => resolve(false))
  })
  const send = async (command: ProcessCommand) => {
    if (!child.connected) return undefined
    const id = ++commandCount
    const answered = new Promise<Done>((resolve) => {
      waiting.set(id, resolve)
    })
    child.send({ ...command, id })
    const timeout = setTimeout(answerMs, undefined, { ref: false })
    const reply = await Promise.race([answered, ended.then(() => undefined), timeout])
    waiting.delete(id)
    return reply
  }
  return { child, ready, ended, send }
}

function forkReplica({ directory, offsets, checkout, logPath, env }: ServiceProcessOptions): ChildProcess {
  const { clockMs, trueMs } = offsets()
  const argv = [join(directory, 'tallystick.json'), String(clockMs), String(trueMs)]
  const cwd = checkout?.() ?? ownCheckout
  const ownLog = logPath?.()
  const log = ownLog === undefined ? 'pipe' : openSync(ownLog, 'a')
  const stdio: StdioOptions = ['ignore', 'pipe', log, 'ipc']
  const child = fork(join(cwd, 'soak', 'replica.ts'), argv, { cwd, execArgv, env: { ...process.env, ...env }, stdio })
  if (log !== 'pipe') closeSync(log)
  const output = createWriteStream(join(directory, 'log'), { flags: 'a' })
  child.stdout?.pipe(output, { end: false })
  child.stderr?.pipe(output, { end: false })
  child.once('close', () => output.end())
  // Sending to a process that was just killed fails. The `exit` event handles its end.
  child.on('error', () => undefined)
  return child
}
