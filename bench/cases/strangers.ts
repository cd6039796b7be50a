import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startPostgres } from '@tallystick/workbench/postgres'
import { type LocalServer, startLocalServer } from '@tallystick/workbench/start-local-server'
import { hostileBodies } from '../../soak/faults/hostile-queries.ts'
import { measureAtRate } from '../load.ts'
import { formatResults, median, type Result } from '../result.ts'
import { pool } from '../service.ts'
import { startEmbedded } from './data.ts'

const rounds = 3
// Long enough for the embedded database, where one query uses a third of the budget of a minute.
const roundSeconds = 20
const notesRate = 200
// Enough, because a query returns at most 1,000 entities of one kind.
const positions = 20_000
// The default of `listen.publicRpm`: 600 per minute and address.
const queryEveryMs = 100

/**
 * Measures `GET /notes` in turns with and without one address that sends the most expensive queries to the public subgraph,
 * as many as the limits permit. The value is the increase of the 95th percentile.
 */
export async function measureStrangers(): Promise<Result[]> {
  const postgres = await startPostgres()
  await postgres.createDatabase('strangers')
  const onPostgres = await measureOn('notes.hostile', postgres.url('strangers'))
  process.stderr.write(`${formatResults([onPostgres])}\n`)
  await postgres.stop()
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  const onPglite = await measureOn('notes.hostile.embedded', `file:${join(directory, 'db')}`)
  rmSync(directory, { recursive: true, force: true })
  return [onPostgres, onPglite]
}

async function measureOn(name: string, databaseUrl: string): Promise<Result> {
  const rpc = await startTimeRpc()
  const embedded = { positions: pool, startBlock: 0 }
  const settings = {
    // With the default public limits, which other parts of the bench disable.
    listen: { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } },
    chains: [{ id: 324, name: 'zkSync Era', pool, rpc: [rpc.url], subgraph: { embedded } }],
  }
  const { site, server, port, ca, key } = await startEmbedded(databaseUrl, { positions, settings })
  const request = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`
  const load = { port, ca, request, seconds: roundSeconds, rate: notesRate, connections: 16 }
  const measure = async () => (await measureAtRate(load)).p95Ms
  const measureWithQueries = async () => {
    const stop = startQueries({ port, ca })
    return measure().finally(stop)
  }
  await measureWithQueries()
  const quiet: number[] = []
  const later: number[] = []
  for (let round = 0; round < rounds; round++) {
    const quietMs = await measure()
    quiet.push(quietMs)
    later.push((await measureWithQueries()) - quietMs)
  }
  server.child.kill('SIGKILL')
  await rpc.stop()
  site.remove()
  const sorted = later.toSorted((a, b) => a - b)
  return {
    name,
    value: median(later),
    unit: 'ms later',
    baseline: median(quiet),
    ratio: null,
    spread: [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN],
    target: { valueAtMost: 10 },
  }
}

/** Starts an RPC that only serves the time, as the second clock for signing. Its chain is far behind the index. */
export function startTimeRpc(): Promise<LocalServer> {
  return startLocalServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request))
    const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
    const block = { number: '0x0', hash: `0x${'00'.repeat(32)}`, parentHash: `0x${'00'.repeat(32)}`, timestamp }
    const result = { eth_chainId: '0x144', eth_blockNumber: '0x0', eth_getBlockByNumber: block }[method as string]
    const answer = result ? { result } : { error: { code: -32601, message: 'method not found' } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
}

/** Sends the hostile queries in turn and ignores the responses. Returns a function that stops it. */
function startQueries({ port, ca }: { readonly port: number; readonly ca: string }): () => void {
  const agent = new Agent({ ca, keepAlive: true })
  let sent = 0
  const timer = setInterval(() => {
    const { body } = hostileBodies[sent++ % hostileBodies.length] as (typeof hostileBodies)[number]
    const options = {
      agent,
      port,
      path: '/subgraphs/324',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    }
    httpsRequest('https://localhost', options, (response) => response.resume())
      .on('error', () => undefined)
      .end(body)
  }, queryEveryMs)
  return () => {
    clearInterval(timer)
    agent.destroy()
  }
}
