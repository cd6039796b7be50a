import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { systemTime } from '@tallystick/base'
import { loadConfig, startService } from '@tallystick/service'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import pino from 'pino'
import { type Defer, prepare, type Setting } from '../../../packages/service/test/harness.ts'
import { runCommandLine } from '../src/commands/run-command-line.ts'
import type { Terminal } from '../src/commands/terminal/terminal.ts'

const cli = fileURLToPath(new URL('../bin/tallystick.js', import.meta.url))

export type Finished = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }

export type Running = {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly output: () => string
  kill(signal: NodeJS.Signals): Promise<Finished>
}

export type Site = {
  readonly directory: string
  readonly configPath: string
  readonly ca: string
  readonly env: Record<string, string>
}

/** A directory with configuration and certificates, for real `tallystick` processes. */
export async function prepareSite(setting: Setting): Promise<Site> {
  const { directory, settings, env, authority } = await prepare(setting)
  const configPath = join(directory, 'tallystick.json')
  writeFileSync(configPath, JSON.stringify(settings), { mode: 0o600 })
  return { directory, configPath, ca: authority.cert, env }
}

/** Runs a command to its end, in this process: starting one takes most of a second. */
export async function tallystick(site: Site, ...commandLine: string[]): Promise<Finished> {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const terminal: Terminal = {
    env: site.env,
    stdin: process.stdin,
    stdout: collectInto(chunks.stdout),
    stderr: collectInto(chunks.stderr),
  }
  await runCommandLine(withConfig(site, commandLine), terminal)
  const exitCode = Number(terminal.exitCode ?? 0)
  return { exitCode, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

/** Runs a command on a terminal, where it asks a question. Answers yes, or `answer`, after `beforeAnswer`. */
export async function tallystickAsked(
  site: Site,
  commandLine: readonly string[],
  beforeAnswer: () => Promise<unknown>,
  answer = 'y',
): Promise<Finished> {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stdout = new Writable({
    write: (chunk, _, done) => {
      chunks.stdout.push(String(chunk))
      done()
      if (String(chunk).includes('[y/N]')) void beforeAnswer().finally(() => stdin.write(`${answer}\n`))
    },
  })
  const terminal: Terminal = {
    env: site.env,
    stdin,
    stdout: Object.assign(stdout, { isTTY: true }),
    stderr: collectInto(chunks.stderr),
  }
  await runCommandLine(withConfig(site, commandLine), terminal)
  const exitCode = Number(terminal.exitCode ?? 0)
  return { exitCode, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

/** Runs a command to its end, in a process of its own. */
export async function tallystickProcess(site: Site, ...commandLine: string[]): Promise<Finished> {
  const child = launch(site, commandLine)
  return finish(child, collect(child))
}

/** Runs the service of a site in this process. */
export async function serveHere({ configPath, env }: Site, defer: Defer) {
  const config = loadConfig(configPath, { env, secrets: 'required' })
  const log = pino({ level: 'silent' })
  const service = await startService({ config, time: systemTime, log, say: () => undefined })
  defer(service.stop)
  return service
}

/** Starts `tallystick serve` and waits for its ready line. */
export async function serve(site: Site, defer: Defer): Promise<Running> {
  const child = launch(site, ['serve'])
  defer(() => child.kill('SIGKILL'))
  const chunks = collect(child)
  const finished = finish(child, chunks)
  const ready = /^ready (\S+)$/m
  await Promise.race([
    finished.then(({ stderr }) => Promise.reject(new Error(`serve ended early: ${stderr}`))),
    new Promise<void>((resolve) => child.stdout?.on('data', () => ready.test(chunks.stdout.join('')) && resolve())),
  ])
  return {
    child,
    baseUrl: (ready.exec(chunks.stdout.join('')) as RegExpExecArray)[1] as string,
    output: () => chunks.stdout.join('') + chunks.stderr.join(''),
    kill: (signal) => {
      child.kill(signal)
      return finished
    },
  }
}

/** Starts `tallystick serve` without waiting for anything. */
export function launch(
  site: Site,
  commandLine: readonly string[],
  { stdout = 'pipe', stderr = 'pipe' }: { readonly stdout?: 'pipe' | number; readonly stderr?: 'pipe' | number } = {},
): ChildProcess {
  return spawn(process.execPath, [...shortRunFlags, cli, ...withConfig(site, commandLine)], {
    env: { PATH: process.env['PATH'], ...site.env },
    stdio: ['ignore', stdout, stderr],
  })
}

function withConfig({ configPath }: Site, commandLine: readonly string[]): readonly string[] {
  const isComplete = commandLine.includes('--help') || commandLine.includes('--config')
  return isComplete ? commandLine : [...commandLine, '--config', configPath]
}

function collectInto(chunks: string[]): Writable {
  return new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
}

function collect(child: ChildProcess) {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  child.stdout?.on('data', (chunk) => chunks.stdout.push(String(chunk)))
  child.stderr?.on('data', (chunk) => chunks.stderr.push(String(chunk)))
  return chunks
}

async function finish(child: ChildProcess, chunks: ReturnType<typeof collect>): Promise<Finished> {
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}
