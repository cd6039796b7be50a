import type { Report } from '../follow/mapping.ts'
import type { Block } from '../store/block.ts'
import {
  type Account,
  type Denylisters,
  newAccount,
  newPool,
  newProtocolDay,
  type Pool,
  type ProtocolDay,
  utcDayOf,
} from './entities.ts'
import { put, type WorkingSet } from './working-set.ts'

export type Context = {
  readonly set: WorkingSet
  readonly pool: string
  readonly denylisters: Denylisters
  readonly block: Block
  /** Holders of tokens minted in this block whose Lend event follows. */
  readonly minted: Map<string, string>
  /** Takes signs that the index lacks logs. */
  readonly report: Report
}

export function changeHolding(
  set: WorkingSet,
  { id, positions, principal }: { readonly id: string; readonly positions: 1 | -1; readonly principal: bigint },
): void {
  const change = ({ activePositions, activePrincipal }: Account) => ({
    activePositions: activePositions + positions,
    activePrincipal: add(activePrincipal, principal),
  })
  changeAccount(set, { id, change })
}

export function changeAccount(
  { accounts }: WorkingSet,
  { id, change }: { readonly id: string; readonly change: (before: Account) => Partial<Account> },
): void {
  const before = accounts.rows.get(id) ?? newAccount(id)
  put(accounts, { ...before, ...change(before) })
}

export function changePool({ set, pool, denylisters }: Context, change: (before: Pool) => Partial<Pool>): void {
  const before = set.pools.rows.get(pool) ?? newPool(pool, denylisters)
  put(set.pools, { ...before, ...change(before) })
}

/** Updates the current day. Call it after `changePool`: the day has the pool's active principal. */
export function changeDay({ set, pool, block }: Context, change: (before: ProtocolDay) => Partial<ProtocolDay>): void {
  const day = utcDayOf(block.timestamp)
  const before = set.days.rows.get(String(day)) ?? newProtocolDay(day)
  const activePrincipal = set.pools.rows.get(pool)?.activePrincipal ?? before.activePrincipal
  put(set.days, { ...before, ...change(before), activePrincipal })
}

export function add(amount: string, difference: bigint): string {
  return String(BigInt(amount) + difference)
}
