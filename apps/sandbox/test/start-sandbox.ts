import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address, Hex } from 'viem'
import { onTestFinished } from 'vitest'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Launch = {
  readonly child: ChildProcess
  readonly output: () => string
  /** Milliseconds, by this process's clock, when the output first matched; throws if it ends without. */
  saw(pattern: RegExp): Promise<number>
  /** Sends a signal to every process of the group, and resolves to the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export type Sandbox = Launch & {
  /** Milliseconds, by this process's clock, when the ready line was seen. */
  readonly readyAt: number
  /** What Ctrl-C does. */
  stop(): Promise<number | null>
}

/** Takes what has to be undone later. */
type Defer = (undo: () => unknown) => void

/** `npm start` as a person types it, in a process group of its own as a terminal makes one. */
export function launchSandbox(...options: string[]): Launch {
  return launchSandboxUntil(onTestFinished as Defer, ...options)
}

function launchSandboxUntil(defer: Defer, ...options: string[]): Launch {
  const child = spawn('npm', ['start', '--silent', '--', '--port', '0', ...options], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  const output = () => chunks.join('')
  defer(() => interrupt(child, 'SIGKILL'))
  const exited = once(child, 'close') as Promise<[number | null]>
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
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

/** A sandbox that is ready. */
export async function startSandbox(...options: string[]): Promise<Sandbox> {
  return startSandboxUntil(onTestFinished as Defer, ...options)
}

/** The same for several tests: `defer` takes what ends it. */
export async function startSandboxUntil(defer: Defer, ...options: string[]): Promise<Sandbox> {
  const launch = launchSandboxUntil(defer, ...options)
  const readyAt = await launch.saw(/^ready https:/m)
  return { ...launch, readyAt, stop: () => launch.end('SIGINT') }
}

function interrupt({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-sandbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'home')
}

export type ChainCredentials = {
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
