import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address, Hex } from 'viem'
import { shortRunFlags } from '../../packages/workbench/src/short-run-flags.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Process of a sandbox that may not be ready. */
export type LaunchedSandbox = {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves to the time by `Date.now` when the output first matched. Rejects if the process ends before. */
  saw(pattern: RegExp): Promise<number>
  /** Sends a signal to every process of the group. Resolves to the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export type StartedSandbox = { readonly dir: string; readonly credentials: Credentials; stop(): Promise<void> }

type ChainCredentials = {
  readonly id: number
  readonly rpcUrl: string
  readonly pool: Address
  readonly positions: Address
  readonly token: Address
  readonly signer: Address
  readonly subgraphUrl: string
}

/** Content of the `credentials.json` that a sandbox writes. */
export type Credentials = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly caCert: string
  readonly adminUrl: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly chains: readonly [ChainCredentials, ...ChainCredentials[]]
  readonly wallets: readonly { readonly address: Address; readonly privateKey: Hex }[]
}

export const readyPattern = /^ready https:/m
const fromBuild = [process.execPath, ...shortRunFlags, join(root, 'apps/sandbox/dist/bundle/main.js')]

/** Starts a sandbox with a directory of its own. Resolves when it is ready. */
export async function startSandbox(...options: readonly string[]): Promise<StartedSandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-shared-'))
  const dir = join(directory, 'home')
  const { end, saw } = launchSandbox(['--dir', dir, ...options])
  const killSandbox = () => void end('SIGKILL')
  process.once('exit', killSandbox)
  await saw(readyPattern)
  const stop = async () => {
    process.off('exit', killSandbox)
    await end('SIGINT')
    await rm(directory, { recursive: true, force: true })
  }
  return { dir, credentials: readCredentials(dir), stop }
}

export function readCredentials(dir: string): Credentials {
  return JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')) as Credentials
}

/** Launches a sandbox, by default the built one, in a process group of its own as a terminal makes one. */
export function launchSandbox(options: readonly string[], command: readonly string[] = fromBuild): LaunchedSandbox {
  const [program = '', ...parameters] = command
  const child = spawn(program, [...parameters, '--port', '0', ...options], {
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
    signalGroup(child, signal)
    return (await exited)[0]
  }
  return { child, output, saw, end }
}

function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
