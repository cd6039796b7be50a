import type { Audit, Contradiction, IndexReader } from '../../follow/mapping.ts'
import { type Difference, missingIncome, missingPosition, wrongEntity } from '../contradictions.ts'
import {
  compareAccounts,
  compareIncomes,
  comparePool,
  comparePositions,
  type IndexedAccount,
  type IndexedIncome,
  type IndexedPool,
  type IndexedPosition,
  positionFields,
} from './compare-entities.ts'
import { assertBlock, type IndexedBlock } from './read-page.ts'

type Addresses = { readonly pool: string; readonly positions: string }

type Sample = {
  readonly _meta: { readonly block: IndexedBlock }
  readonly newest: readonly IndexedPosition[]
  readonly accounts: readonly IndexedAccount[]
  readonly floatingIncomes: readonly IndexedIncome[]
  readonly pools: readonly IndexedPool[]
}

const newestCount = 5
const randomCount = 5
// The token has no counter. If a later id exists, the lends after the last known one are missing.
const idsBeyond = 3
const daysCount = 3

/**
 * Creates the comparison of a sample with the contracts: the newest positions and some at random, ids that must not exist
 * yet, the accounts that hold them, the last days of floating income, and the pool.
 */
export function createSampleAudit({ pool, positions }: Addresses): Audit {
  return async (index, { endpoint, id }) => {
    const sample = await readSample(index, pool)
    if (!sample) return []
    const block = sample._meta.block.number
    const last = BigInt(sample.newest[0]?.id ?? 0)
    const drawn = [...drawIds(last), ...(isTokenId(id) ? [id] : [])]
    const indexed = new Map([...sample.newest, ...(await readPositions(index, drawn))].map((one) => [one.id, one]))
    const beyond = Array.from({ length: idsBeyond }, (_, offset) => String(last + BigInt(offset + 1)))
    const ids = [...new Set([...indexed.keys(), ...drawn, ...beyond])]
    const [token, contract] = [positions as `0x${string}`, pool as `0x${string}`]
    await assertBlock(endpoint, sample._meta.block)
    const found = {
      positions: await comparePositions(endpoint, { token, block, ids, indexed }),
      accounts: await compareAccounts(endpoint, { token, block, accounts: sample.accounts }),
      incomes: await compareIncomes(endpoint, { pool: contract, block, incomes: sample.floatingIncomes }),
      pool: await comparePool(endpoint, { pool: contract, block, indexed: sample.pools[0] }),
    }
    await assertBlock(endpoint, sample._meta.block)
    return toContradictions(found, { indexed, lastDay: sample.pools[0]?.lastFloatingIncomeDay ?? null })
  }
}

async function readSample(index: IndexReader, pool: string): Promise<Sample | undefined> {
  const { data } = await index.execute({
    query: `{
      _meta { block { number hash } }
      newest: positionInfos(first: ${newestCount}, orderBy: tokenId, orderDirection: desc) { ${positionFields} }
      accounts(first: ${newestCount}, orderBy: activePositions, orderDirection: desc) { id activePositions }
      floatingIncomes(first: ${daysCount}, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome }
      pools(where: { id: "${pool}" }) { paused minLendLimit lastFloatingIncomeDay }
    }`,
  })
  return data as Sample | undefined
}

async function readPositions(index: IndexReader, ids: readonly string[]): Promise<readonly IndexedPosition[]> {
  if (ids.length === 0) return []
  const query = `{ positionInfos(where: { id_in: ${JSON.stringify(ids)} }) { ${positionFields} } }`
  const { data } = await index.execute({ query })
  return (data?.['positionInfos'] ?? []) as readonly IndexedPosition[]
}

function drawIds(last: bigint): readonly string[] {
  if (last === 0n) return []
  return Array.from({ length: randomCount }, () => String(1n + BigInt(Math.floor(Math.random() * Number(last)))))
}

/** An account or the pool has an address. */
function isTokenId(id: string | undefined): id is string {
  return id !== undefined && /^\d+$/.test(id)
}

function toContradictions(
  found: Readonly<Record<'positions' | 'accounts' | 'incomes' | 'pool', readonly Difference[]>>,
  known: { readonly indexed: ReadonlyMap<string, unknown>; readonly lastDay: number | null },
): readonly Contradiction[] {
  return [
    ...found.positions.map((difference) => {
      const { id, message } = difference
      return known.indexed.has(id) ? wrongEntity('PositionInfo', difference) : missingPosition(id, message)
    }),
    ...found.incomes.map(({ message }) => missingIncome(known.lastDay, message)),
    ...found.accounts.map((difference) => wrongEntity('Account', difference)),
    ...found.pool.map((difference) =>
      difference.message.includes('lastFloatingIncomeDay')
        ? missingIncome(known.lastDay, difference.message)
        : wrongEntity('Pool', difference),
    ),
  ]
}
