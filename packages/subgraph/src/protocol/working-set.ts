import type { LoadEntities } from '../follow/mapping.ts'
import type { EntityChange } from '../store/collect-changes.ts'
import type { ProtocolEvent } from './decode-event.ts'
import {
  type Account,
  type FloatingIncome,
  type Partner,
  type Pool,
  type PositionInfo,
  type ProtocolDay,
  utcDayOf,
  zeroAddress,
} from './entities.ts'

/** Entities of one kind that the mapped blocks use, and the ids that the current block changed. */
export type Table<Entity> = {
  readonly entity: string
  readonly rows: Map<string, Entity>
  readonly changed: Set<string>
}

export type WorkingSet = {
  readonly positions: Table<PositionInfo>
  readonly accounts: Table<Account>
  readonly partners: Table<Partner>
  readonly floatingIncomes: Table<FloatingIncome>
  readonly pools: Table<Pool>
  readonly days: Table<ProtocolDay>
}

/** Events of a block, and its timestamp. */
type BlockEvents = { readonly timestamp: number; readonly events: readonly ProtocolEvent[] }

type UsedEntities = {
  readonly pool: string
  readonly blocks: readonly BlockEvents[]
  /** Accounts that change without an event. */
  readonly accounts: Iterable<string> | undefined
}

/** Loads the entities that events may change, with one statement per kind of entity for all blocks. */
export async function loadWorkingSet(
  load: LoadEntities,
  { pool, blocks, accounts: others }: UsedEntities,
): Promise<WorkingSet> {
  const ids = collectIds(blocks)
  for (const account of others ?? []) ids.accounts.add(account)
  const usesPool = others !== undefined || blocks.some(({ events }) => events.length > 0)
  const [positions, pools, days, floatingIncomes] = await Promise.all([
    loadTable<PositionInfo>(load, { entity: 'PositionInfo', ids: ids.positions }),
    loadTable<Pool>(load, { entity: 'Pool', ids: usesPool ? [pool] : [] }),
    loadTable<ProtocolDay>(load, { entity: 'ProtocolDay', ids: ids.days }),
    loadTable<FloatingIncome>(load, { entity: 'FloatingIncome', ids: ids.floatingIncomes }),
  ])
  // Events do not always have the holder and the partner of a position. The position has both.
  for (const { account, partner } of positions.rows.values()) {
    ids.accounts.add(account)
    if (partner !== null) ids.partners.add(partner)
  }
  const [accounts, partners] = await Promise.all([
    loadTable<Account>(load, { entity: 'Account', ids: ids.accounts }),
    loadTable<Partner>(load, { entity: 'Partner', ids: ids.partners }),
  ])
  return { positions, accounts, partners, floatingIncomes, pools, days }
}

export function put<Entity extends { readonly id: string }>(table: Table<Entity>, entity: Entity): void {
  table.rows.set(entity.id, entity)
  table.changed.add(entity.id)
}

/** Returns the changes since the last call. */
export function takeChanges(set: WorkingSet): readonly EntityChange[] {
  const changes: EntityChange[] = []
  for (const { entity, rows, changed } of Object.values(set) as Table<NonNullable<EntityChange['set']>>[]) {
    for (const id of changed) changes.push({ entity, id, set: rows.get(id) ?? null })
    changed.clear()
  }
  return changes
}

function collectIds(blocks: readonly BlockEvents[]) {
  const ids = {
    positions: new Set<string>(),
    accounts: new Set<string>(),
    partners: new Set<string>(),
    days: new Set<string>(),
    floatingIncomes: new Set<string>(),
  }
  const minted = new Set<string>()
  for (const { timestamp, events } of blocks) {
    for (const event of events) {
      if (event.kind === 'transfer') ids.accounts.add(event.to)
      // A token minted in these blocks is not stored yet. In a backfill that is nearly every token.
      if (event.kind === 'transfer' && event.from === zeroAddress) minted.add(event.tokenId)
      if ((event.kind === 'transfer' || event.kind === 'claim') && !minted.has(event.tokenId)) {
        ids.positions.add(event.tokenId)
      }
      if (event.kind === 'lend') ids.accounts.add(event.beneficiary)
      // Token ids count up. The position before shows whether a lend is missing.
      if (event.kind === 'lend') addPrevious(ids.positions, { tokenId: event.tokenId, minted })
      if (event.kind === 'lend' || event.kind === 'partner') ids.partners.add(event.partnerId)
      if (event.kind === 'denylist') ids.accounts.add(event.account)
      // An event has the days that it names. The income of the day after them is computed.
      if (event.kind === 'floatingIncome') {
        ids.floatingIncomes.add(String(event.firstDay - 1)).add(String(event.firstDay + event.days.length))
      }
      if (event.kind === 'lend' || event.kind === 'claim') ids.days.add(String(utcDayOf(timestamp)))
    }
  }
  return ids
}

function addPrevious(
  ids: Set<string>,
  { tokenId, minted }: { readonly tokenId: string; readonly minted: ReadonlySet<string> },
): void {
  const previous = String(BigInt(tokenId) - 1n)
  if (!minted.has(previous) && previous !== '0') ids.add(previous)
}

async function loadTable<Entity>(
  load: LoadEntities,
  { entity, ids }: { readonly entity: string; readonly ids: Iterable<string> },
): Promise<Table<Entity>> {
  const wanted = [...ids]
  const loaded = wanted.length === 0 ? [] : await load(entity, wanted)
  return { entity, rows: new Map(loaded as ReadonlyMap<string, Entity>), changed: new Set() }
}
