import { positionQuery } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { openSubgraph, protocolSchema } from '@tallystick/subgraph'
import pg from 'pg'
import { ownerOf } from '../lend-chain.ts'
import { compare, type Result } from '../result.ts'
import { namespace } from './backfill.ts'

const rounds = 5
const roundSeconds = 1.2
const atOnce = 16

/** Hand-written query on the tables. The index needs the condition on the length. */
export const handWrittenSql = `select "tokenId"::text, "currentOwner"::text as owner, "initalOwner"::text, "initiator"::text,
    "coupon"::text, "principal"::text, "lendTimestamp"::text, "maturityTimestamp"::text, "partnerFeeBPS"::text,
    "partnerId"::text, "status", "lendTransactionHash"::text
  from "${namespace}"."PositionInfo"
  where "currentOwner" = $1::text::bytea and octet_length("currentOwner") <= 256 and "$to" = 2147483647
  order by "tokenId" desc limit 100`

type RunQuery = (owner: string) => Promise<number>

export async function measureQueryOnPostgres(database: Database, url: string): Promise<Result> {
  const bare = new pg.Pool({ connectionString: url, max: atOnce })
  const baseline = async (owner: string) => {
    const { rowCount } = await bare.query({ name: 'positions', text: handWrittenSql, values: [toBytea(owner)] })
    return rowCount ?? 0
  }
  const pair = { value: await createSubgraphQuery(database), baseline }
  const result = await measurePair({ name: 'subgraph.query.postgres', atLeast: 0.85 }, pair)
  await bare.end()
  return result
}

export async function measureQueryOnPglite(database: Database): Promise<Result> {
  const baseline = async (owner: string) => {
    // The driver does not prepare statements automatically.
    const rows = await database.read(handWrittenSql, [toBytea(owner)], { isFrequent: true })
    return rows.length
  }
  const pair = { value: await createSubgraphQuery(database), baseline }
  return measurePair({ name: 'subgraph.query.pglite', atLeast: 0.6 }, pair)
}

export async function createSubgraphQuery(database: Database): Promise<RunQuery> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  return async (walletAddress) => {
    // Like the service, which sends the text of the result unchanged.
    const { data, errors } = await subgraph.answer({ query: positionQuery, variables: { walletAddress } })
    if (data === undefined) throw new Error(JSON.stringify(errors))
    return data.split('"tokenId"').length - 1
  }
}

async function measurePair(
  { name, atLeast }: { readonly name: string; readonly atLeast: number },
  pair: { readonly value: RunQuery; readonly baseline: RunQuery },
): Promise<Result> {
  const measured = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ baseline: await measureQueryRate(pair.baseline), value: await measureQueryRate(pair.value) })
  }
  return compare({ name, unit: 'queries/s', target: { atLeast } }, measured)
}

/** Measures the queries per second with as many at once as the load over HTTP has connections. */
export async function measureQueryRate(runQuery: RunQuery): Promise<number> {
  const startedMs = performance.now()
  const endsMs = startedMs + roundSeconds * 1_000
  let queryCount = 0
  const client = async () => {
    while (performance.now() < endsMs) {
      queryCount += 1
      const rows = await runQuery(ownerOf(queryCount * 37))
      if (rows !== 10) throw new Error(`An owner has ${rows} positions instead of 10.`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return (queryCount / (performance.now() - startedMs)) * 1_000
}

function toBytea(address: string): string {
  return `\\x${address.slice(2)}`
}
