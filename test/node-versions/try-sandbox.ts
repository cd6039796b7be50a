import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstalledNode } from './install-node.ts'
import { type CommandResult, type RunningCommand, startCommand } from './run-command.ts'

type Credentials = { readonly baseUrl: string; readonly apiKey: string; readonly caCert: string }

/**
 * Starts the sandbox with `npm start`, fetches its notes over TLS and stops it with SIGINT.
 *
 * Returns the seconds until the `ready` line.
 */
export async function trySandbox(node: InstalledNode, { clone, home }: { clone: string; home: string }) {
  const sandbox = startCommand({
    argv: [...node.npm, 'start', '--', '--port', '0', '--dir', home],
    cwd: clone,
    env: node.env,
    timeoutMs: 300_000,
  })
  const startedAt = performance.now()
  let seconds = 0
  const failures: string[] = []
  try {
    await waitUntilReady(sandbox)
    seconds = (performance.now() - startedAt) / 1000
    await fetchNotes(JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')) as Credentials)
  } catch (error) {
    failures.push((error as Error).message)
  }
  failures.push(...(await stop(sandbox, home)))
  const failure = failures.length > 0 ? { failure: failures.join('; ') } : {}
  const result: CommandResult = { output: sandbox.output(), seconds, ...failure }
  return result
}

async function waitUntilReady(sandbox: RunningCommand): Promise<void> {
  let hasEnded = false
  void sandbox.ended.then(() => {
    hasEnded = true
  })
  while (!/^ready https:/m.test(sandbox.output())) {
    if (hasEnded) throw new Error(`the sandbox ended before it was ready: ${await sandbox.ended}`)
    await sleep(100)
  }
}

async function fetchNotes({ baseUrl, apiKey, caCert }: Credentials): Promise<void> {
  const options = { ca: readFileSync(caCert), headers: { 'x-api-key': apiKey }, timeout: 30_000, agent: false as const }
  const { status, body } = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = request(`${baseUrl}/notes`, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body: text })).on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('GET /notes took more than 30 s')))
    sent.on('error', reject).end()
  })
  const notes = status === 200 ? (JSON.parse(body) as { data: unknown[] }).data.length : 0
  if (notes === 0) throw new Error(`GET /notes returned status ${status} without notes: ${body.slice(0, 200)}`)
}

/** Stops the sandbox. Kills remaining processes and returns the problems. */
async function stop(sandbox: RunningCommand, home: string): Promise<string[]> {
  sandbox.signal('SIGINT')
  const isStopped = await Promise.race([sandbox.ended.then(() => true), sleep(60_000, false, { ref: false })])
  const late = isStopped ? [] : ['the sandbox did not stop within 60 s of SIGINT']
  const inGroup = sandbox.isAlive() ? ['a process of the sandbox is still running in its group'] : []
  sandbox.signal('SIGKILL')
  // The chain has its own process group. All programs of the sandbox run the Node in the directory of the trial.
  const others = processesFrom(dirname(home))
  for (const { pid } of others) process.kill(pid, 'SIGKILL')
  return [...late, ...inGroup, ...others.map(({ pid, program }) => `process ${pid} is still running: ${program}`)]
}

/** Returns the processes whose program is in a directory. Works only on Linux, which has /proc. */
function processesFrom(directory: string): { readonly pid: number; readonly program: string }[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .map((pid) => ({ pid: Number(pid), program: readProgram(pid) }))
    .filter(({ program }) => program.startsWith(`${directory}/`))
}

function readProgram(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch (error) {
    // The process has ended since the directory was read, or belongs to the kernel or another user.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
