import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { JournalError } from './journal.ts'
import { journalExitCode, type ServerMessage } from './server-message.ts'

export type DevChainOptions = {
  readonly chainId: number
  /** A free one by default. */
  readonly port?: number | undefined
  /** Unix seconds of the genesis block, the system's time by default. */
  readonly timestamp?: bigint | undefined
  /** File the chain is kept in: replayed if it exists, written as the chain grows. Without it the chain is forgotten. */
  readonly journalPath?: string | undefined
  /** 30 million by default. */
  readonly blockGasLimit?: bigint | undefined
  /** Called while a journal is replayed, with the share that is done. */
  readonly onProgress?: ((share: number) => void) | undefined
  /** How long the process may be silent before it listens. */
  readonly startTimeoutMs?: number | undefined
}

export type DevChain = {
  readonly url: string
  readonly pid: number
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** Ends the process. */
  stop(): Promise<void>
}

const startTimeoutMsDefault = 60_000
// It has nothing to do but to close a file.
const stopTimeoutMs = 20_000

/**
 * Starts a development chain on loopback: a real EVM with JSON-RPC over HTTP, ready to answer when this resolves. A block is
 * mined for each transaction until the chain is told otherwise.
 *
 * It runs in a process of its own and ends with its parent, however the parent ends. Throws `JournalError` if its journal
 * cannot be used.
 */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  // In a group of its own, so that Ctrl-C reaches only the parent, which decides the order in which things end.
  const child = spawn(process.execPath, [findServer(), ...formatFlags(options)], { detached: true })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  // The chain may end while the parent still holds its end of the pipe.
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
  const isSource = import.meta.url.endsWith('.ts')
  const server = new URL(`${isSource ? '../../dist/dev-chain' : '.'}/serve-dev-chain.js`, import.meta.url)
  return fileURLToPath(server)
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
    let said = ''
    const fail = (problem: string) => reject(new Error(`The development chain ${problem}. ${said.trim()}`.trim()))
    const timer = setTimeout(() => fail(`did not listen within ${startTimeoutMs} ms`), startTimeoutMs)
    child.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000)
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
      if (code === journalExitCode) reject(new JournalError(said.trim()))
      else fail(`ended with ${signal ?? `code ${code}`}`)
    })
  })
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  child.stdin?.end()
  await exited
  clearTimeout(timer)
}
