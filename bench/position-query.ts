import { positionQuery } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { openSubgraph, protocolSchema } from '@tallystick/subgraph'
import pg from 'pg'
import { namespace } from './backfill.ts'
import { ownerOf } from './lend-chain.ts'
import { compare, type Result } from './result.ts'

const rounds = 5
const secondsARound = 1.2
const atOnce = 16

/** What somebody who knows the tables would write: the index needs the condition on the length. */
export const handWrittenSql = `select "tokenId"::text, "currentOwner"::text as owner, "initalOwner"::text, "initiator"::text,
    "coupon"::text, "principal"::text, "lendTimestamp"::text, "maturityTimestamp"::text, "partnerFeeBPS"::text,
    "partnerId"::text, "status", "lendTransactionHash"::text
  from "${namespace}"."PositionInfo"
  where "currentOwner" = $1::text::bytea and octet_length("currentOwner") <= 256 and "$to" = 2147483647
  order by "tokenId" desc limit 100`

type Ask = (owner: string) => Promise<number>

export async function measureQueryOnPostgres(database: Database, url: string): Promise<Result> {
  const bare = new pg.Pool({ connectionString: url, max: atOnce })
  const baseline = async (owner: string) => {
    const { rowCount } = await bare.query({ name: 'positions', text: handWrittenSql, values: [toBytea(owner)] })
    return rowCount ?? 0
  }
  const result = await measurePair('subgraph.query.postgres', { value: await askSubgraph(database), baseline })
  await bare.end()
  return result
}

export async function measureQueryOnPglite(database: Database): Promise<Result> {
  const baseline = async (owner: string) => {
    // The driver prepares nothing by itself.
    const rows = await database.read(handWrittenSql, [toBytea(owner)], { isFrequent: true })
    return rows.length
  }
  return measurePair('subgraph.query.pglite', { value: await askSubgraph(database), baseline })
}

async function askSubgraph(database: Database): Promise<Ask> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  return async (walletAddress) => {
    // As the service asks it: the answer is text that goes out as it is.
    const { data, errors } = await subgraph.answer({ query: positionQuery, variables: { walletAddress } })
    if (data === undefined) throw new Error(JSON.stringify(errors))
    return data.split('"tokenId"').length - 1
  }
}

async function measurePair(name: string, pair: { readonly value: Ask; readonly baseline: Ask }): Promise<Result> {
  const measured = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ baseline: await measureRate(pair.baseline), value: await measureRate(pair.value) })
  }
  return compare({ name, unit: 'queries/s', target: { atLeast: 0.6 } }, measured)
}

async function measureRate(ask: Ask): Promise<number> {
  const startedMs = performance.now()
  const endsMs = startedMs + secondsARound * 1_000
  let asked = 0
  const client = async () => {
    while (performance.now() < endsMs) {
      asked += 1
      const rows = await ask(ownerOf(asked * 37))
      if (rows !== 10) throw new Error(`An owner has ${rows} positions instead of 10.`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return (asked / (performance.now() - startedMs)) * 1_000
}

function toBytea(address: string): string {
  return `\\x${address.slice(2)}`
}
