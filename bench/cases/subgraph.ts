import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { positionQuery } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import { startPostgres } from '@tallystick/workbench/postgres'
import { chainId, ownerOf, positions, startLendChain } from '../lend-chain.ts'
import { type Load, measureLoad } from '../load.ts'
import { compare, type Result } from '../result.ts'
import { createSite, pool, type Server } from '../service.ts'
import { measureBackfill } from './backfill.ts'
import { warmUp } from './data.ts'
import {
  createSubgraphQuery,
  handWrittenSql,
  measureQueryOnPglite,
  measureQueryOnPostgres,
  measureQueryRate,
} from './position-query.ts'

const rounds = 5
const roundSeconds = 1.2
const connections = 16
const bareServer = fileURLToPath(new URL('../servers/bare-query-server.js', import.meta.url))

/** Measures an index of 20,000 positions on both engines: the speed of its backfill and of its queries. */
export async function measureSubgraph(): Promise<Result[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  const chain = await startLendChain()
  const server = await startPostgres()
  await server.createDatabase('bench')
  const url = server.url('bench')
  const pglite = await openDatabase(`file:${join(directory, 'db')}`)
  const postgres = await openDatabase(url)
  const backfills = await measureBackfill({ pglite, postgres }, chain)
  await chain.stop()
  const onPglite = await measureQueryOnPglite(pglite)
  const onPostgres = await measureQueryOnPostgres(postgres, url)
  const overHttp = await measureHttp(postgres, url)
  for (const database of [pglite, postgres]) await database.close()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
  return [onPglite, onPostgres, ...overHttp, ...backfills]
}

/**
 * Measures `POST /subgraphs/324` of the service, each time with another owner, against the same queries at the interface of
 * the store, and against a bare server with hand-written SQL.
 */
async function measureHttp(database: Database, url: string): Promise<readonly Result[]> {
  const site = createSite({
    database: url,
    // No process listens there, so the index does not change.
    chains: [
      { id: chainId, name: 'zkSync Era', pool, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions } } },
    ],
  })
  const statement = join(site.directory, 'statement.sql')
  writeFileSync(statement, handWrittenSql)
  const service = await site.serve()
  const files = [join(site.directory, 'cert.pem'), join(site.directory, 'key.pem')]
  const bare = await site.start([bareServer, ...files, url, statement])
  const query = await createSubgraphQuery(database)
  const load = { ca: site.ca, request: requestOf, seconds: roundSeconds, connections } satisfies Partial<Load>
  const measured: Record<'store' | 'bare' | 'value', number>[] = []
  const measure = async ({ port }: Server) => (await measureLoad({ ...load, port })).rate
  for (const server of [bare, service]) await warmUp({ measure: () => measure(server), roundSeconds })
  for (let round = 0; round < rounds; round++)
    measured.push({ store: await measureQueryRate(query), bare: await measure(bare), value: await measure(service) })
  for (const { child } of [service, bare]) child.kill('SIGKILL')
  site.remove()
  const against = (baseline: 'store' | 'bare') =>
    measured.map((round) => ({ value: round.value, baseline: round[baseline] }))
  return [
    compare({ name: 'subgraph.http.postgres', unit: 'req/s', target: { atLeast: 0.75 } }, against('store')),
    compare({ name: 'subgraph.http.bare', unit: 'req/s' }, against('bare')),
  ]
}

function requestOf(index: number): string {
  const body = JSON.stringify({ query: positionQuery, variables: { walletAddress: ownerOf(index * 37) } })
  const head = `POST /subgraphs/${chainId} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  return `${head}content-length: ${body.length}\r\n\r\n${body}`
}
