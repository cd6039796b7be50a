import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { quickFlags } from '../../packages/workbench/src/quick-flags.ts'

/** Starts a sandbox with a directory of its own. Resolves when it is ready. */
export async function startSandbox(
  ...options: readonly string[]
): Promise<{ readonly dir: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-shared-'))
  const dir = join(directory, 'home')
  const main = fileURLToPath(new URL('../../apps/sandbox/dist/bundle/main.js', import.meta.url))
  const child = spawn(process.execPath, [...quickFlags, main, '--port', '0', '--dir', dir, ...options], {
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
