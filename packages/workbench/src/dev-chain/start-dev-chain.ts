import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { JournalError } from './journal.ts'

export type DevChainOptions = {
  readonly chainId: number
  /** By default a free port. */
  readonly port?: number | undefined
  /** Unix seconds of the genesis block, the system's time by default. */
  readonly timestamp?: bigint | undefined
  /** File that stores the chain. An existing file is replayed. Without it the chain is in memory only. */
  readonly journalPath?: string | undefined
  /** 30 million by default. */
  readonly blockGasLimit?: bigint | undefined
  /** Called during replay with the completed share, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined
  /** Time limit between messages of the process until it listens. */
  readonly startTimeoutMs?: number | undefined
}

export type DevChain = {
  readonly url: string
  readonly pid: number
  /** Resolves when the process has exited for any reason. */
  readonly exited: Promise<void>
  /** Stops the process. */
  stop(): Promise<void>
}

/** Line that the process of a development chain writes to its standard output, as JSON. */
export type ServerMessage =
  /** Share of the journal that is replayed, from 0 to 1. */
  | { readonly progress: number; readonly url?: undefined }
  /** The chain is ready at this URL. */
  | { readonly url: string; readonly progress?: undefined }

/** Exit code for a journal that cannot be used. */
export const journalExitCode = 3

const startTimeoutMsDefault = 60_000
// The process only closes a file.
const stopTimeoutMs = 20_000

/**
 * Starts a development chain on loopback: an EVM with JSON-RPC over HTTP. By default it mines a block for each transaction.
 *
 * It runs in a separate process that exits with its parent. Throws `JournalError` if the journal cannot be used.
 */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  // In a separate process group, so that Ctrl-C reaches only the parent, which decides the order of shutdown. On Windows
  // that is a console of its own.
  const child = spawn(process.execPath, [findServer(), ...formatFlags(options)], { detached: true, windowsHide: true })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  // The chain may exit while the parent still has the pipe open.
  child.stdin.on('error', () => undefined)
  try {
    const url = await readUrl(child, options)
    return { url, pid: child.pid as number, exited, stop: () => stop(child, exited) }
  } catch (error) {
    await stop(child, exited)
    throw error
  }
}

/** Returns the built server, also when this module runs from source: a loader would take a second of each start. */
function findServer(): string {
  return createRequire(import.meta.url).resolve('@tallystick/workbench/serve-dev-chain')
}

function formatFlags({ chainId, port, timestamp, blockGasLimit, journalPath }: DevChainOptions): readonly string[] {
  const flags = { 'chain-id': chainId, port, timestamp, 'gas-limit': blockGasLimit, journal: journalPath }
  return Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
}

function readUrl(
  child: ChildProcess & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream },
  { startTimeoutMs = startTimeoutMsDefault, onProgress }: DevChainOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let stderrText = ''
    const fail = (problem: string) => reject(new Error(`The development chain ${problem}. ${stderrText.trim()}`.trim()))
    const timer = setTimeout(() => fail(`did not listen within ${startTimeoutMs} ms`), startTimeoutMs)
    child.stderr.on('data', (chunk) => {
      stderrText = `${stderrText}${chunk}`.slice(-2_000)
    })
    createInterface(child.stdout).on('line', (line) => {
      const { progress, url } = JSON.parse(line) as ServerMessage
      timer.refresh()
      if (progress !== undefined) return onProgress?.(progress)
      clearTimeout(timer)
      resolve(url)
    })
    child.once('error', ({ message }) => fail(`could not be started (${message})`))
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === journalExitCode) reject(new JournalError(stderrText.trim()))
      else fail(`exited with ${signal ?? `code ${code}`}`)
    })
  })
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  child.stdin?.end()
  await exited
  clearTimeout(timer)
}
