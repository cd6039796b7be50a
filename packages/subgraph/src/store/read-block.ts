import type { Queryable } from '@tallystick/database'
import type { Block, Head } from './block.ts'
import type { Layout } from './layout.ts'

type BlockRow = { number: number; hash: string; parent_hash: string; timestamp: bigint }
export type HeadRow = BlockRow & { revision: number; fault: string | null }

/** Reads the latest block. Returns undefined in an empty store. */
export async function readHead(queryable: Queryable, layout: Layout): Promise<Head | undefined> {
  const rows = await queryable.query<HeadRow>(headSql(layout))
  return rows[0] && toHead(rows[0])
}

export function headSql(layout: Layout): string {
  const ofMeta = (column: string) => `(select ${column} from ${layout.meta}) as ${column}`
  return `select number, hash, parent_hash, timestamp, ${ofMeta('revision')}, ${ofMeta('fault')}
    from ${layout.blocks} order by number desc limit 1`
}

export async function findBlockByHash(
  queryable: Queryable,
  { layout, hash }: { readonly layout: Layout; readonly hash: string },
): Promise<Block | undefined> {
  const rows = await queryable.query<BlockRow>(
    `select number, hash, parent_hash, timestamp from ${layout.blocks} where hash = $1`,
    [hash],
  )
  return rows[0] && toBlock(rows[0])
}

/** Finds the latest block at or below a number. Numbers may be skipped, so it has the state at that number. */
export async function findBlockAt(
  queryable: Queryable,
  { layout, number }: { readonly layout: Layout; readonly number: number },
): Promise<Block | undefined> {
  const rows = await queryable.query<BlockRow>(
    `select number, hash, parent_hash, timestamp from ${layout.blocks} where number <= $1 order by number desc limit 1`,
    [number],
  )
  return rows[0] && toBlock(rows[0])
}

export async function findFirstBlock(queryable: Queryable, layout: Layout): Promise<Block | undefined> {
  const rows = await queryable.query<BlockRow>(
    `select number, hash, parent_hash, timestamp from ${layout.blocks} order by number limit 1`,
  )
  return rows[0] && toBlock(rows[0])
}

/** Reads the number of the first block in the store. */
export async function readEarliestNumber(queryable: Queryable, layout: Layout): Promise<number | undefined> {
  const rows = await queryable.query<{ number: number | null }>(`select min(number) as number from ${layout.blocks}`)
  return rows[0]?.number ?? undefined
}

export function toHead(row: HeadRow): Head {
  return { ...toBlock(row), revision: row.revision, fault: row.fault ?? undefined }
}

function toBlock(row: BlockRow): Block {
  return { number: row.number, hash: row.hash, parentHash: row.parent_hash, timestamp: Number(row.timestamp) }
}
