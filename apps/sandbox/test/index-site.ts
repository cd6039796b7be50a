import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createOperator, openServiceDatabase, parseConfig, startService } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { createTestDatabase, type DatabaseEngine } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { inject, onTestFinished } from 'vitest'
import { atMost, createTestTime } from '../../../packages/base/test/test-time.ts'
import { root } from '../../../test/set-up/start-sandbox.ts'
import type { Chain } from './chain.ts'

const cli = join(root, 'apps/tallystick/bin/tallystick.js')
const env = { ADMIN_TOKEN: 'an-admin-token-for-tests', SIGNER_KEY: `0x${'01'.repeat(32)}` }

export type Finished = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
export type IndexSite = Awaited<ReturnType<typeof createIndexSite>>

/** A configuration with an embedded index of a chain, whose RPC is `rpcUrl`. */
export async function createIndexSite(
  { pool, positions }: Chain,
  { engine, rpcUrl }: { readonly engine: DatabaseEngine; readonly rpcUrl: string },
) {
  const { url, remove } = await createTestDatabase(engine, inject('databases'))
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-index-'))
  onTestFinished(async () => {
    await remove()
    await rm(directory, { recursive: true, force: true })
  })
  const settings = {
    listen: { host: '127.0.0.1', port: 0, lameDuckSeconds: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: await findFreePort(), token: 'env:ADMIN_TOKEN' },
    database: url,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [7, 30],
    rails: { preflight: 'off' },
    chains: [{ id: 324, name: 'devnet', pool, rpc: [rpcUrl], subgraph: { embedded: { positions } } }],
  }
  const configPath = join(directory, 'tallystick.json')
  await writeFile(configPath, JSON.stringify(settings), { mode: 0o600 })
  const config = parseConfig(settings, { path: configPath, env, secrets: 'required', baseDirectory: directory })
  const launch = (...commandLine: readonly string[]) =>
    spawn(process.execPath, [...shortRunFlags, cli, ...commandLine, '--config', configPath], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    config,
    databaseUrl: url,
    launch,
    /** Runs a command to its end, in a process of its own. */
    run: (...commandLine: readonly string[]) => finish(launch(...commandLine)),
    /** Starts the service in this process. */
    serve: async () => {
      const database = await openServiceDatabase(url, () => undefined)
      const time = createTestTime({ waits: { 'chain follower': atMost(50) } })
      await createOperator({ database, config, clock: time }).setCurve({ points: { 7: 369, 30: 362 }, by: 'test' })
      const lines: string[] = []
      const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
      const options = { config, time, log, say: () => undefined, database }
      const service = await startService(options)
      onTestFinished(() => service.stop())
      const ask = async (query: string) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-proto': 'https' }
        const body = JSON.stringify({ query })
        const answer = await fetch(`${service.baseUrl}/subgraphs/324`, { method: 'POST', headers, body })
        // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
        return (await answer.json()) as any
      }
      return { database, ask, log: () => lines.join(''), stop: service.stop }
    },
  }
}

export async function finish(child: ChildProcess): Promise<Finished> {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  child.stdout?.on('data', (chunk) => chunks.stdout.push(String(chunk)))
  child.stderr?.on('data', (chunk) => chunks.stderr.push(String(chunk)))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

/** A server in front of a node. `hold` keeps requests that match until `release`, `replace` answers them. */
export async function startGate(target: string) {
  let isHeld = (_body: string) => false
  let answerOf = (_method: string, _result: unknown): unknown => undefined
  let released: (() => void)[] = []
  const server = await startLocalServer(async (request, response) => {
    const body = await text(request)
    if (isHeld(body)) await new Promise<void>((resolve) => released.push(resolve))
    const headers = { 'content-type': 'application/json' }
    const passed = await (await fetch(target, { method: 'POST', headers, body })).text()
    const calls = [JSON.parse(body)].flat() as { readonly id: number; readonly method: string }[]
    const replace = (answer: { readonly id: number; readonly result?: unknown }) => {
      const result = answerOf(calls.find(({ id }) => id === answer.id)?.method ?? '', answer.result)
      return result === undefined ? answer : { jsonrpc: '2.0', id: answer.id, result }
    }
    const answers = JSON.parse(passed)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(answers) ? answers.map(replace) : replace(answers)))
  })
  return {
    url: server.url,
    /** Number of requests that wait. */
    heldCount: () => released.length,
    hold: (matches: (body: string) => boolean) => {
      isHeld = matches
    },
    replace: (answer: typeof answerOf) => {
      answerOf = answer
    },
    release: () => {
      isHeld = () => false
      answerOf = () => undefined
      for (const resolve of released.splice(0)) resolve()
      released = []
    },
    stop: server.stop,
  }
}
