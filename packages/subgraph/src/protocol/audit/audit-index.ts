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
import { comparePage, type IndexedBlock, type PageContext } from './read-page.ts'

type AuditOptions = PageContext & {
  readonly pool: string
  /** Address of the position token. */
  readonly positions: string
  readonly onProgress?: ((progress: { readonly compared: number; readonly of: number }) => void) | undefined
}

export type AuditResult = {
  /** Last block that was compared. The index may have advanced meanwhile. */
  readonly block: IndexedBlock
  /** Numbers of entities that were compared. */
  readonly compared: { readonly positions: number; readonly accounts: number; readonly days: number }
  readonly contradictions: readonly string[]
}

// Few enough that a node which keeps the state of 128 blocks still has it at the end.
const pageSize = 500
/** Ids after the last known one that must not exist. */
const idsBeyond = 20
// An index with larger gaps is wrong anyway.
const gapMax = 1_000

/** Compares a whole index with the contracts of the chain, in parts, each at the block that the index is at. */
export async function auditIndex(options: AuditOptions): Promise<AuditResult> {
  const pool = options.pool.toLowerCase() as `0x${string}`
  const token = options.positions.toLowerCase() as `0x${string}`
  const contradictions: string[] = []
  const note: Note = (found) => contradictions.push(...found)
  const of = await readHighestId(options)
  const state = await auditPool(options, pool)
  note(state.contradictions)
  const positions = await auditPositions(options, { token, of, note })
  const accounts = await auditAccounts(options, { token, note })
  const days = await auditIncomes(options, { pool, note })
  const blocks = [state.block, positions.block, accounts.block, days.block]
  const block = blocks.reduce((a, b) => (b.number > a.number ? b : a))
  const compared = { positions: positions.count, accounts: accounts.count, days: days.count }
  return { block, compared, contradictions }
}

type Note = (found: readonly string[]) => void
type OfToken = { readonly token: `0x${string}`; readonly note: Note }
type OfPool = { readonly pool: `0x${string}`; readonly note: Note }
type Audited = { readonly block: IndexedBlock; readonly count: number }

async function readHighestId({ subgraph }: AuditOptions): Promise<number> {
  const query = '{ positionInfos(first: 1, orderBy: tokenId, orderDirection: desc) { tokenId } }'
  const { data } = await subgraph.execute({ query })
  const { positionInfos = [] } = (data ?? {}) as { readonly positionInfos?: readonly { readonly tokenId: string }[] }
  return Number(positionInfos[0]?.tokenId ?? 0)
}

function auditPool(options: AuditOptions, pool: `0x${string}`) {
  return comparePage<IndexedPool>(options, {
    query: `entities: pools(where: { id: "${pool}" }) { paused minLendLimit lastFloatingIncomeDay }`,
    compare: (endpoint, { block, entities }) =>
      comparePool(endpoint, { pool, block: block.number, indexed: entities[0] }),
  })
}

async function auditPositions(
  options: AuditOptions,
  { token, of, note }: OfToken & { readonly of: number },
): Promise<Audited> {
  const range = `first: ${pageSize}, orderBy: tokenId`
  for (let last = 0n, count = 0; ; ) {
    const after = last
    const page = await comparePage<IndexedPosition>(options, {
      query: `entities: positionInfos(${range}, where: { tokenId_gt: "${after}" }) { ${positionFields} }`,
      compare: (endpoint, { block, entities }) => {
        const indexed = new Map(entities.map((position) => [position.id, position]))
        const highest = BigInt(entities.at(-1)?.id ?? after)
        const beyond = Array.from({ length: idsBeyond }, (_, index) => String(highest + BigInt(index + 1)))
        const ids = [...indexed.keys(), ...(entities.length < pageSize ? beyond : [])]
        return comparePositions(endpoint, { token, block: block.number, ids, indexed })
      },
    })
    note(page.contradictions)
    for (const { id } of page.entities) {
      note(describeGap(last, BigInt(id)))
      last = BigInt(id)
    }
    count += page.entities.length
    options.onProgress?.({ compared: count, of: Math.max(of, count) })
    if (page.entities.length < pageSize) return { block: page.block, count }
  }
}

/** Token ids count up from 1, so each id below a known one was lent. */
function describeGap(last: bigint, next: bigint): readonly string[] {
  if (next <= last + 1n) return []
  const [first, end] = [last + 1n, next - 1n]
  return [
    first === end
      ? `Position ${first} is missing in the index.`
      : `Positions ${first} to ${end} are missing in the index.`,
  ]
}

async function auditAccounts(options: AuditOptions, { token, note }: OfToken): Promise<Audited> {
  for (let last = '0x', count = 0; ; ) {
    const page = await comparePage<IndexedAccount>(options, {
      query: `entities: accounts(first: ${pageSize}, orderBy: id, where: { id_gt: "${last}" }) { id activePositions }`,
      compare: (endpoint, { block, entities }) =>
        compareAccounts(endpoint, { token, block: block.number, accounts: entities }),
    })
    note(page.contradictions)
    count += page.entities.length
    if (page.entities.length < pageSize) return { block: page.block, count }
    last = page.entities.at(-1)?.id ?? last
  }
}

async function auditIncomes(options: AuditOptions, { pool, note }: OfPool): Promise<Audited> {
  const fields = 'day floatingIncome accFloatingIncome'
  for (let last = -1, count = 0; ; ) {
    const after = last
    const page = await comparePage<IndexedIncome>(options, {
      query: `entities: floatingIncomes(first: ${pageSize}, orderBy: day, where: { day_gt: ${after} }) { ${fields} }`,
      compare: (endpoint, { block, entities }) => {
        const days = entities.map(({ day }) => day)
        const absent = findAbsent(days, after)
        return compareIncomes(endpoint, { pool, block: block.number, incomes: entities, absent })
      },
    })
    note(page.contradictions)
    count += page.entities.length
    if (page.entities.length < pageSize) return { block: page.block, count }
    last = page.entities.at(-1)?.day ?? last
  }
}

/** Lists the days between known ones, and the day before the first. */
function findAbsent(days: readonly number[], after: number): readonly number[] {
  const absent: number[] = []
  let last = after
  for (const day of days) {
    const from = last < 0 ? day - 1 : last + 1
    for (let missing = from; missing < day && absent.length < gapMax; missing += 1) absent.push(missing)
    last = day
  }
  return absent
}
