import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { quickFlags } from '../../packages/workbench/src/quick-flags.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns the directory of the shared sandbox. The first request starts it. */
    sharedSandboxUrl: string
  }
}

/** Provides one sandbox for all tests that only read from it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let starting: ReturnType<typeof startSandbox> | undefined
  const server = createServer((_, response) => {
    starting ??= startSandbox()
    starting.then(
      ({ dir }) => response.end(dir),
      ({ message }: Error) => response.writeHead(500).end(message),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  project.provide('sharedSandboxUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    const sandbox = await starting?.catch(() => undefined)
    await sandbox?.stop()
  }
}

async function startSandbox(): Promise<{ readonly dir: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-shared-'))
  const dir = join(directory, 'home')
  const main = fileURLToPath(new URL('../../apps/sandbox/dist/bundle/main.js', import.meta.url))
  const child = spawn(process.execPath, [...quickFlags, main, '--port', '0', '--dir', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const killSandbox = () => child.kill('SIGKILL')
  process.once('exit', killSandbox)
  const stop = async () => {
    process.off('exit', killSandbox)
    child.kill('SIGINT')
    await closed
    await rm(directory, { recursive: true, force: true })
  }
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => line.startsWith('ready ') && resolve())
  })
  const ended = closed.then(() => Promise.reject(new Error('The shared sandbox ended before it was ready.')))
  // Also rejects when the sandbox is stopped, which is not an error.
  ended.catch(() => undefined)
  await Promise.race([ready, ended])
  return { dir, stop }
}
