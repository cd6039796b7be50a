import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quickFlags } from '@tallystick/workbench/quick-flags'
import type { Address } from 'viem'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export type ChainCredentials = {
  readonly id: number
  readonly rpcUrl: string
  readonly pool: Address
  readonly positions: Address
  readonly token: Address
  readonly signer: Address
  readonly subgraphUrl: string
}

/** Members of the sandbox's credentials that these tests use. */
export type Credentials = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly caCert: string
  readonly adminUrl: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly chains: readonly [ChainCredentials, ...ChainCredentials[]]
  readonly wallets: readonly { readonly address: Address }[]
}

export type Sandbox = { readonly credentials: Credentials; stop(): Promise<void> }

/** Starts what `npm start` runs, in a process group of its own. Resolves when it is ready. */
export async function startSandbox(...options: readonly string[]): Promise<Sandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-portal-'))
  const dir = join(directory, 'home')
  const child = spawn(
    process.execPath,
    [...quickFlags, 'apps/sandbox/dist/bundle/main.js', '--port', '0', '--dir', dir, ...options],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'close')
  const stop = async () => {
    interrupt(child)
    await exited
    await rm(directory, { recursive: true, force: true })
  }
  const ready = new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      if (/^ready https:/m.test(said)) resolve()
    })
    void exited.then(() => reject(new Error(`the sandbox ended before it was ready: ${said}`)))
  })
  await ready
  return { credentials: JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')), stop }
}

function interrupt({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
