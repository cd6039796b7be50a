import { positionQuery } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { startPostgres } from '@tallystick/workbench/postgres'
import { type Load, type LoadResult, measureLoad } from './load.ts'
import { fillPositions, ownerOf } from './positions.ts'
import { compare, type Result } from './result.ts'
import { createBenchKey, createSite, pool } from './service.ts'

const rounds = 5
const secondsARound = 3
const connections = 16

/**
 * `POST /data`, cached and uncached, by the embedded subgraph and by another service's as the remote, each beside the
 * same query sent straight to the upstream. Uncached means that no two requests ask for the same owner's positions.
 */
export async function measureData(): Promise<Result[]> {
  const postgres = await startPostgres()
  for (const name of ['embedded', 'remote']) await postgres.createDatabase(name)
  await fillIndex(postgres.url('embedded'))
  const embedded = createSite({
    database: postgres.url('embedded'),
    // Nothing listens there: the index stays as it was filled.
    chains: [{ ...chain, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions: pool } } }],
  })
  const upstream = await embedded.serve()
  const straight = { port: upstream.port, ca: embedded.ca, path: '/subgraphs/324', key: undefined }
  const remote = createSite(
    {
      database: postgres.url('remote'),
      chains: [{ ...chain, subgraph: { urls: [`https://localhost:${upstream.port}/subgraphs/324`] } }],
    },
    { NODE_EXTRA_CA_CERTS: embedded.caPath },
  )
  const gateway = await remote.serve()
  const targets = [
    ['data.embedded', { port: upstream.port, ca: embedded.ca, path: '/data', key: createBenchKey(embedded) }],
    ['data.remote', { port: gateway.port, ca: remote.ca, path: '/data', key: createBenchKey(remote) }],
  ] as const
  const results: Result[] = []
  for (const [name, target] of targets) {
    results.push(...(await measurePair(`${name}.cached`, { target, straight, owner: () => ownerOf(1) })))
    results.push(...(await measurePair(`${name}.uncached`, { target, straight, owner: createOwners() })))
  }
  for (const { child } of [gateway, upstream]) child.kill('SIGKILL')
  for (const site of [embedded, remote]) site.remove()
  await postgres.stop()
  return results
}

const chain = { id: 324, name: 'zkSync Era', pool }

type Target = { readonly port: number; readonly ca: string; readonly path: string; readonly key: string | undefined }

async function fillIndex(url: string): Promise<void> {
  const database = await openDatabase(url)
  // As the service names it.
  const namespace = `chain_324_${pool.slice(2, 10).toLowerCase()}`
  await fillPositions(await openSubgraph({ database, schema: protocolSchema, namespace }))
  await database.close()
}

/** Another owner each time, over all measurements: the first to ask is never the second. */
function createOwners(): () => string {
  let next = 0
  return () => ownerOf(next++)
}

async function measurePair(
  name: string,
  { target, straight, owner }: { readonly target: Target; readonly straight: Target; readonly owner: () => string },
): Promise<readonly Result[]> {
  const measured: { readonly value: LoadResult; readonly baseline: LoadResult }[] = []
  for (let round = 0; round < rounds; round++) {
    const baseline = await measureLoad(loadOf(straight, owner))
    measured.push({ baseline, value: await measureLoad(loadOf(target, owner)) })
  }
  const each = (read: (result: LoadResult) => number) =>
    measured.map(({ value, baseline }) => ({ value: read(value), baseline: read(baseline) }))
  return [
    compare(
      { name, unit: 'req/s' },
      each(({ rate }) => rate),
    ),
    compare(
      { name: `${name}.p99`, unit: 'ms' },
      each(({ p99Ms }) => p99Ms),
    ),
  ]
}

function loadOf({ port, ca, path, key }: Target, owner: () => string): Load {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  const keyLine = key ? `x-api-key: ${key}\r\n` : ''
  const chains = key ? { chains: [324] } : {}
  const request = () => {
    const body = JSON.stringify({ query: positionQuery, variables: { walletAddress: owner(), ...chains } })
    return `${head}${keyLine}content-length: ${body.length}\r\n\r\n${body}`
  }
  return { port, ca, request, seconds: secondsARound, connections }
}
