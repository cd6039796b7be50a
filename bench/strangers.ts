import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@tallystick/workbench/postgres'
import { hostileBodies } from '../soak/hostile-queries.ts'
import { startEmbedded } from './data.ts'
import { measureAtRate } from './load.ts'
import { median, type Result } from './result.ts'

const rounds = 5
const secondsARound = 4
const notesRate = 200
// As many as `listen.publicRpm` permits one address by default: 600 a minute.
const queryEveryMs = 100

// The defaults of the public limits, which other parts of the bench switch off.
const settings = {
  listen: { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } },
}

/**
 * Measures `GET /notes` while one address sends the most expensive queries to the public subgraph, as many as the limits
 * permit, and while it does not, in turns. The value is by how much the 95th percentile is later.
 */
export async function measureStrangers(): Promise<Result[]> {
  const postgres = await startPostgres()
  await postgres.createDatabase('strangers')
  const onPostgres = await measureOn('notes.hostile', postgres.url('strangers'))
  await postgres.stop()
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  const onPglite = await measureOn('notes.hostile.embedded', `file:${join(directory, 'db')}`)
  rmSync(directory, { recursive: true, force: true })
  return [onPostgres, onPglite]
}

async function measureOn(name: string, databaseUrl: string): Promise<Result> {
  const { site, server, port, ca, key } = await startEmbedded(databaseUrl, { settings })
  const request = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`
  const load = { port, ca, request, seconds: secondsARound, rate: notesRate, connections: 16 }
  const measure = async () => (await measureAtRate(load)).p95Ms
  const besideQueries = async () => {
    const stop = startQueries({ port, ca })
    return measure().finally(stop)
  }
  await besideQueries()
  const quiet: number[] = []
  const later: number[] = []
  for (let round = 0; round < rounds; round++) {
    const quietMs = await measure()
    quiet.push(quietMs)
    later.push((await besideQueries()) - quietMs)
  }
  server.child.kill('SIGKILL')
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

/** Sends the hostile queries in turn, whatever becomes of them. Returns what ends it. */
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
