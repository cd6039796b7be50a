import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type AnvilOptions = {
  readonly chainId: number
  /** A free one by default. */
  readonly port?: number | undefined
  /** Unix seconds of the genesis block. */
  readonly timestamp?: bigint | undefined
  /** File the chain is read from, if it exists, and written to by `stop`. Without it the chain is forgotten. */
  readonly statePath?: string | undefined
  /** Seconds between blocks. By default a block is mined for each transaction. */
  readonly blockTime?: number | undefined
  readonly blockGasLimit?: bigint | undefined
  /** Past blocks whose state can be asked for; also how deep a reorg may go. At ten thousand positions 6 MB each. */
  readonly statesKept?: number | undefined
  /**
   * The rules of the chain, the latest by default. Up to `shanghai` a block is cheaper: since then each is noted in the
   * state, whose root the node works out anew, so that ten thousand blocks take a minute.
   */
  readonly hardfork?: string | undefined
  readonly startTimeoutMs?: number | undefined
}

export type Anvil = {
  readonly url: string
  readonly pid: number
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** Writes the state file and ends the process. */
  stop(): Promise<void>
}

/**
 * Starts a real EVM node on loopback, ready to answer when this resolves.
 *
 * It is one process in a group of its own, so that Ctrl-C reaches only its parent, who decides the order in which things
 * end. It ends with its parent: by `stop`, when the parent exits, and on Linux when the parent is killed, even with
 * SIGKILL; its state is written in each case. Elsewhere a parent that dies of a signal it does not handle leaves the node
 * running, to be ended by hand.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const cachePath = await findCachePath(options.statePath)
  const child = spawnAnvil([...formatFlags(options), '--cache-path', cachePath])
  const endWithParent = () => child.kill('SIGTERM')
  process.once('exit', endWithParent)
  const exited = awaitExit(child).then(async () => {
    process.off('exit', endWithParent)
    await rm(cachePath, { recursive: true, force: true })
  })
  try {
    const url = await readUrl(child, options.startTimeoutMs ?? 60_000)
    // A line for every call, which nobody reads, costs it time.
    await callRpc(url, 'anvil_setLoggingEnabled', [false])
    return { url, pid: child.pid as number, exited, stop: () => stopAnvil(child, exited) }
  } catch (error) {
    await stopAnvil(child, exited)
    throw error
  }
}

/**
 * Where the node puts states of past blocks: left to itself it fills a directory of the user's and never clears it.
 * Beside the state file, so that the next start clears what a killed one left.
 */
async function findCachePath(statePath: string | undefined): Promise<string> {
  return statePath === undefined ? mkdtemp(join(tmpdir(), 'tallystick-anvil-')) : `${statePath}.cache`
}

function formatFlags(options: AnvilOptions): readonly string[] {
  const { port = 0, statesKept = 100 } = options
  const flags = ['--host', '127.0.0.1', '--port', port, '--chain-id', options.chainId, '--prune-history', statesKept]
  // First come, first mined: the order in which positions are numbered is then the sender's.
  flags.push('--order', 'fifo')
  if (options.timestamp !== undefined) flags.push('--timestamp', options.timestamp.toString())
  if (options.statePath !== undefined) flags.push('--state', options.statePath)
  if (options.blockTime !== undefined) flags.push('--block-time', options.blockTime)
  if (options.blockGasLimit !== undefined) flags.push('--gas-limit', options.blockGasLimit.toString())
  if (options.hardfork !== undefined) flags.push('--hardfork', options.hardfork)
  return flags.map(String)
}

function spawnAnvil(flags: readonly string[]): ChildProcess {
  const binary = findBinary()
  const [command, prefix] = canFollowParent() ? ['setpriv', ['--pdeathsig', 'TERM', binary]] : [binary, []]
  return spawn(command, [...prefix, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
}

/** The node itself: the package's own launcher would stand between us and it, and outlive it or be outlived. */
function findBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  const machine = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    return require.resolve(`@foundry-rs/anvil-${machine}/bin/${file}`)
  } catch (cause) {
    throw new Error(`No anvil for ${machine} is installed. Run \`npm ci\` on this machine, optional parts included.`, {
      cause,
    })
  }
}

/** Whether there is a setpriv that can ask Linux for a signal at the parent's death; it then becomes the node. */
function canFollowParent(): boolean {
  return process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0
}

function awaitExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
}

/** The address in the node's own words, so that another server on the port is never taken for it. */
function readUrl(child: ChildProcess, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (what: string) => reject(new Error(`anvil ${what}:\n${output.slice(-2000).trim()}`))
    const timer = setTimeout(() => fail(`did not listen within ${timeoutMs} ms`), timeoutMs)
    const settle = (then: () => void) => {
      clearTimeout(timer)
      then()
    }
    const read = (chunk: Buffer) => {
      output = (output + chunk).slice(-20_000)
      const address = /Listening on (\S+)\n/.exec(output)?.[1]
      if (address) settle(() => resolve(`http://${address}`))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => settle(() => fail(`could not be run (${error.message})`)))
    child.once('close', (code, signal) => settle(() => fail(`ended with ${signal ?? `code ${code}`}`)))
  })
}

async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answer = await response.text()
  if (answer.includes('"error"')) throw new Error(`anvil refused ${method}: ${answer}`)
}

async function stopAnvil(child: ChildProcess, exited: Promise<void>): Promise<void> {
  // Writing the state of ten thousand positions takes seconds on a busy machine; a minute means it hangs.
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  child.kill('SIGTERM')
  await exited
  clearTimeout(timer)
}
