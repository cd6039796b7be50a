import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

export type Command = {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

export type CommandResult = { readonly output: string; readonly seconds: number; readonly failure?: string }

/** Process in its own group, so that a signal reaches all processes it started. */
export type RunningCommand = {
  /** Returns the output of both streams so far, without colours. */
  output(): string
  /** Resolves with `undefined` on exit code 0, otherwise with the reason. */
  readonly ended: Promise<string | undefined>
  signal(name: NodeJS.Signals): void
  /** Returns whether a process of the group is alive. */
  isAlive(): boolean
}

const running = new Set<ChildProcess>()
let isStopped = false

/** Runs a command to its end, or kills its process group after `timeoutMs`. */
export async function runCommand(command: Command): Promise<CommandResult> {
  const startedAt = performance.now()
  const process = startCommand(command)
  const failure = await process.ended
  return {
    output: process.output(),
    seconds: (performance.now() - startedAt) / 1000,
    ...(failure === undefined ? {} : { failure }),
  }
}

export function startCommand({ argv: [file, ...args], cwd, env, timeoutMs }: Command): RunningCommand {
  if (isStopped) throw new Error('interrupted')
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    signalGroup(child, 'SIGKILL')
  }, timeoutMs)
  const ended = (async () => {
    try {
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
      if (isTimedOut) return `killed after ${timeoutMs / 1000} s`
      return code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}`
    } catch (error) {
      return (error as Error).message
    } finally {
      clearTimeout(timer)
      running.delete(child)
    }
  })()
  return {
    output: () => stripVTControlCharacters(text),
    ended,
    signal: (name) => void signalGroup(child, name),
    isAlive: () => signalGroup(child, 0),
  }
}

/** Kills all running commands with their process groups, and prevents further starts. */
export function stopCommands(): void {
  isStopped = true
  for (const child of running) signalGroup(child, 'SIGKILL')
}

/** Signals a process group. Returns false if it has ended. Signal 0 only checks. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
