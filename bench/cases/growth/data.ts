import { positionQuery } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { createSite } from '../../service.ts'
import {
  createOwners,
  type Endpoint,
  loadOf,
  positionsOf,
  type Running,
  startEmbedded,
  startRemote,
  startRemoteServer,
} from '../data.ts'
import { measureRestarted, measureRunning, type Sample, seconds } from './sample.ts'

/** Measures the position query directly on the subgraph, which does not cache results. */
export async function measurePositions(count: number, url: string): Promise<Sample> {
  return measureIndex(await startEmbedded(url, { positions: count }), count)
}

// 20,000 positions, whose rows were changed again and again.
const changedPositions = 20_000

/** Measures the position query on an index with a history: a row for each event that changed a position. */
export async function measureEvents(count: number, url: string): Promise<Sample> {
  const running = await startEmbedded(url, { positions: changedPositions })
  const database = await openDatabase(url)
  const [table] = await database.query<{ name: string; columns: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name,
       string_agg(quote_ident(column_name), ', ') as columns
     from information_schema.columns
     where table_name = 'PositionInfo' and column_name not like '$%' group by table_schema, table_name`,
  )
  const { name, columns } = table as { name: string; columns: string }
  // Versions that have ended, before the one that is open. A statement may take 30 s.
  for (let version = 1; version <= count / changedPositions; version++) {
    await database.query(
      `insert into ${name} (${columns}, "$from", "$to")
       select ${columns}, "$from" - $1::int, "$from" - $1::int + 1 from ${name} where "$to" = 2147483647`,
      [version],
    )
  }
  await database.query(`vacuum analyze ${name}`)
  await database.close()
  return measureIndex(running, changedPositions)
}

function measureIndex({ site, server, ...endpoint }: Running, positions: number): Promise<Sample> {
  const owner = createOwners(positions)
  const straight = { ...endpoint, path: '/subgraphs/324', key: undefined }
  return measureRestarted(site, { time: loadOf(straight, () => positionsOf(owner(), straight)).request }, server)
}

/** Measures `POST /data` with a remote subgraph and distinct query texts. */
export async function measureQueries(count: number, url: string): Promise<Sample> {
  const upstreamSite = createSite({})
  const upstream = await startRemoteServer(upstreamSite, JSON.stringify({ positionInfos: [] }))
  const endpoint = await startRemote({
    url,
    upstream: { port: upstream.port, path: '/' },
    caPath: upstreamSite.caPath,
  })
  const queries = createQueries(endpoint, count)
  const sample = await measureRunning(endpoint, {
    loads: { time: { ...loadOf(endpoint, queries.next), seconds } },
    isWarm: queries.areAllSent,
  })
  upstream.child.kill('SIGKILL')
  upstreamSite.remove()
  return sample
}

function createQueries(endpoint: Endpoint, count: number) {
  let sent = 0
  const owner = createOwners()
  return {
    next: () => {
      const query = positionQuery.replace(/^query \w+/, `query Query${sent++ % count}`)
      return { ...positionsOf(owner(), endpoint), query }
    },
    areAllSent: () => sent >= count,
  }
}
