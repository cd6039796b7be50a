import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quickFlags } from '@tallystick/workbench/quick-flags'
import type { Address, Hex } from 'viem'
import { afterAll } from 'vitest'
import { type Closers, createClosers } from '../src/closers.ts'
import { parseOptions } from '../src/options.ts'
import { startSandbox } from '../src/start-sandbox.ts'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

type Launch = {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves to the time by `Date.now` when the output first matched. Rejects if the process ends before. */
  saw(pattern: RegExp): Promise<number>
  /** Sends a signal to every process of the group. Resolves to the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export type Sandbox = Launch & {
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
  launch(...options: string[]): Launch
  /** Starts a sandbox without npm. Resolves when it is ready. */
  start(...options: string[]): Promise<Sandbox>
  /** Starts a sandbox in this process, for tests of its behavior. A process takes seconds longer. */
  startHere(...options: string[]): Promise<LocalSandbox>
  /** Starts a sandbox with `npm start`, as a person types it. Resolves when it is ready. */
  startWithNpm(...options: string[]): Promise<Sandbox>
  /** Returns a path where nothing is. */
  newDirectory(): Promise<string>
}

const fromBuild = [process.execPath, ...quickFlags, join(root, 'apps/sandbox/dist/bundle/main.js')] as const
const withNpm = ['npm', 'start', '--silent', '--'] as const

/** Returns functions that start sandboxes. At the end of the test file those still running are killed. Called at its top. */
export function useSandboxes(): Sandboxes {
  const undos: (() => unknown)[] = []
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo()
  })
  const launchKept = (command: readonly [string, ...string[]], options: readonly string[]) => {
    const launched = launch(command, options)
    undos.push(() => launched.end('SIGKILL'))
    return launched
  }
  return {
    launch: (...options) => launchKept(fromBuild, options),
    start: (...options) => untilReady(launchKept(fromBuild, options)),
    startHere: async (...options) => {
      const closers = createClosers()
      undos.push(closers.close)
      return startLocal(closers, options)
    },
    startWithNpm: (...options) => untilReady(launchKept(withNpm, options)),
    newDirectory: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tallystick-sandbox-'))
      undos.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
      return join(directory, 'home')
    },
  }
}

function launch([command, ...parameters]: readonly [string, ...string[]], options: readonly string[]): Launch {
  const child = spawn(command, [...parameters, '--port', '0', ...options], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  const output = () => chunks.join('')
  const exited = once(child, 'close') as Promise<[number | null]>
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      chunks.push(String(chunk))
      child.emit('said')
    })
  }
  const saw = (pattern: RegExp) =>
    new Promise<number>((resolve, reject) => {
      const look = () => pattern.test(output()) && resolve(Date.now())
      child.on('said', look)
      look()
      void exited.then(([code]) => reject(new Error(`ended with ${code}: ${output()}`)))
    })
  const end = async (signal: NodeJS.Signals) => {
    interrupt(child, signal)
    return (await exited)[0]
  }
  return { child, output, saw, end }
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

async function untilReady(launched: Launch): Promise<Sandbox> {
  const readyAt = await launched.saw(/^ready https:/m)
  return { ...launched, readyAt, stop: () => launched.end('SIGINT') }
}

function interrupt({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type ChainCredentials = {
  readonly id: number
  readonly rpcUrl: string
  readonly pool: Address
  readonly positions: Address
  readonly token: Address
  readonly signer: Address
  readonly subgraphUrl: string
}

export type Credentials = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly caCert: string
  readonly adminUrl: string
  readonly adminToken: string
  readonly chains: readonly [ChainCredentials, ...ChainCredentials[]]
  readonly wallets: readonly { readonly address: Address; readonly privateKey: Hex }[]
}

export function readCredentials(dir: string): Credentials {
  return JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')) as Credentials
}
