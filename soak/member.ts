import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Gauge } from './growth.ts'
import type { Offsets } from './offsets.ts'
import type { Order, Word } from './replica.ts'

/** A process of the service that is started again whenever it ends, as systemd would. */
export type Member = {
  readonly name: string
  readonly baseUrl: string
  readonly adminUrl: string
  /** Undefined while it does not run. */
  readonly pid: number | undefined
  readonly isReady: boolean
  /** Counts its processes, from the moment they are started: one answers before it is heard to be ready. */
  readonly runs: number
  /** Starts it and resolves when it is ready; tries again until it is. */
  start(): Promise<void>
  /** Ends it and leaves it down. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Tells it how far its clock and the true time are from this machine's. Resolves when it knows. */
  setOffsets(offsets: Offsets): Promise<void>
  gauge(): Promise<Gauge | undefined>
}

export type MemberOptions = {
  readonly name: string
  readonly directory: string
  readonly baseUrl: string
  readonly adminUrl: string
  readonly env: Readonly<Record<string, string>>
  /** Called when it ended though nobody asked it to. */
  readonly onCrash: (words: string) => void
  readonly offsets: () => Offsets
}

const script = fileURLToPath(new URL('replica.ts', import.meta.url))
const execArgv = ['--conditions=src', '--import', 'tsx', '--expose-gc']
const restartMs = 1_000
const answerMs = 10_000

export function createMember(options: MemberOptions): Member {
  const { name, directory, baseUrl, adminUrl } = options
  const waiting = new Map<number, (word: Word & { readonly kind: 'done' }) => void>()
  let child: ChildProcess | undefined
  /** Resolves when the child has ended. */
  let ended: Promise<undefined> = Promise.resolve(undefined)
  let isReady = false
  let isWanted = false
  let runs = 0
  let orders = 0

  const launch = () => {
    const { clockMs, trueMs } = options.offsets()
    const argv = [join(directory, 'tallystick.json'), String(clockMs), String(trueMs)]
    const started = fork(script, argv, { execArgv, env: { ...process.env, ...options.env }, silent: true })
    const output = createWriteStream(join(directory, 'log'), { flags: 'a' })
    started.stdout?.pipe(output, { end: false })
    started.stderr?.pipe(output, { end: false })
    started.once('close', () => output.end())
    // A process that was just killed cannot be told anything; its end is heard of by itself.
    started.on('error', () => undefined)
    child = started
    runs++
    ended = once(started, 'exit').then(() => undefined)
    return started
  }
  /** Resolves to whether it came to be ready. */
  const run = async () => {
    const started = launch()
    const ready = new Promise<boolean>((resolve) => {
      started.on('message', (word: Word) => {
        if (word.kind === 'done') waiting.get(word.id)?.(word)
        else resolve(true)
      })
      started.once('exit', () => resolve(false))
    })
    started.once('exit', (code, signal) => {
      const wasReady = isReady
      isReady = false
      if (child === started) child = undefined
      if (wasReady && isWanted) {
        options.onCrash(`${name} ended by itself with ${signal ?? `code ${code}`}`)
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
  const order = async (make: (id: number) => Order) => {
    const target = child
    if (!target?.connected) return undefined
    const id = ++orders
    const answered = new Promise<Word & { readonly kind: 'done' }>((resolve) => {
      waiting.set(id, resolve)
    })
    target.send(make(id))
    const word = await Promise.race([answered, ended, setTimeout(answerMs, undefined, { ref: false })])
    waiting.delete(id)
    return word
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
      // What does not follow a polite request is not waited for for ever.
      const timer = globalThis.setTimeout(() => ending.kill('SIGKILL'), 25_000)
      await ended
      clearTimeout(timer)
    },
    setOffsets: async (offsets) => {
      await order((id) => ({ kind: 'offsets', ...offsets, id }))
    },
    gauge: async () => (await order((id) => ({ kind: 'gauge', id })))?.gauge,
  }
}
