import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type LaunchedSandbox, launchSandbox, readyPattern } from '../../../test/set-up/start-sandbox.ts'
import { parseOptions } from '../src/options.ts'
import { type Closers, createClosers, startSandbox } from '../src/start-sandbox.ts'

export type Sandbox = LaunchedSandbox & {
  /** The time by `Date.now` when the ready line was seen. */
  readonly readyAt: number
  /** Does what Ctrl-C does. */
  stop(): Promise<number | null>
}

/** Sandbox in this process. Its chains are processes. */
export type LocalSandbox = {
  readonly output: () => string
  /** The time by `Date.now` when it was ready. */
  readonly readyAt: number
  /** Resolves when the output matches. */
  saw(pattern: RegExp): Promise<void>
  stop(): Promise<void>
}

export type Sandboxes = {
  /** Launches what `npm start` runs, without npm, in a process group of its own as a terminal makes one. */
  launch(...options: string[]): LaunchedSandbox
  /** Starts a sandbox without npm. Resolves when it is ready. */
  start(...options: string[]): Promise<Sandbox>
  /** Starts a sandbox in this process, for tests of its behavior. A process takes seconds longer. */
  startHere(...options: string[]): Promise<LocalSandbox>
  /** Starts a sandbox with `npm start`, as a person types it. Resolves when it is ready. */
  startWithNpm(...options: string[]): Promise<Sandbox>
  /** Returns a path where nothing is. */
  newDirectory(): Promise<string>
}

const withNpm = ['npm', 'start', '--silent', '--'] as const

/** Returns functions that start sandboxes. At the end of the test file those still running are killed. Called at its top. */
export function useSandboxes(): Sandboxes {
  const undos: (() => unknown)[] = []
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo()
  })
  const launch = (options: readonly string[], command?: readonly string[]) => {
    const launched = launchSandbox(options, command)
    undos.push(() => launched.end('SIGKILL'))
    return launched
  }
  return {
    launch: (...options) => launch(options),
    start: (...options) => untilReady(launch(options)),
    startHere: async (...options) => {
      const closers = createClosers()
      undos.push(closers.close)
      return startLocal(closers, options)
    },
    startWithNpm: (...options) => untilReady(launch(options, withNpm)),
    newDirectory: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tallystick-sandbox-'))
      undos.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
      return join(directory, 'home')
    },
  }
}

async function startLocal(closers: Closers, options: readonly string[]): Promise<LocalSandbox> {
  const lines: string[] = []
  const said = new EventEmitter()
  const say = (line: string) => {
    lines.push(`${line}\n`)
    said.emit('line')
  }
  const output = () => lines.join('')
  await startSandbox(parseOptions(['node', 'main.js', '--port', '0', ...options]), {
    closers,
    say,
    stdout: { dropped: () => 0 },
  })
  const saw = async (pattern: RegExp) => {
    while (!pattern.test(output())) await once(said, 'line')
  }
  return { output, readyAt: Date.now(), saw, stop: closers.close }
}

async function untilReady(launched: LaunchedSandbox): Promise<Sandbox> {
  const readyAt = await launched.saw(readyPattern)
  return { ...launched, readyAt, stop: () => launched.end('SIGINT') }
}
