import { createRangeSizer, type RpcEndpoint } from '@tallystick/chain'
import type { IndexReader } from '../follow/mapping.ts'
import { readWidest } from '../follow/read-range.ts'
import { type Context, changeAccount, changePool } from './change-entities.ts'
import { decodeEvent } from './decode-event.ts'
import type { Denylisters } from './entities.ts'

/** What an index has to take over when a token has got another denylister. */
export type Adoption = {
  /** Denylisters that list an account, by account. */
  readonly listed: ReadonlyMap<string, readonly string[]>
  /** Accounts that the index has as listed. */
  readonly indexed: readonly string[]
}

type Blocks = { readonly from: number; readonly to: number }

/** Reads the accounts that denylisters list at a block, from their logs since another. */
export async function readListed(
  endpoint: RpcEndpoint,
  { denylisters, from, to }: Blocks & { readonly denylisters: readonly string[] },
): Promise<Adoption['listed']> {
  const listed = new Map<string, readonly string[]>()
  const contracts = { pool: '', positions: '', denylisters }
  const addresses = new Set(denylisters)
  const sizer = createRangeSizer()
  // The first block of a chain has no logs, and none before it.
  for (let next = Math.max(1, from); next <= to; ) {
    const { blocks, logCount, end } = await readWidest(endpoint, { from: next, to, addresses, sizer })
    for (const log of blocks.flatMap(({ logs }) => logs)) {
      const event = decodeEvent(log, contracts)
      if (event?.kind !== 'denylist') continue
      listed.set(event.account, changeListing(listed.get(event.account) ?? [], event))
    }
    sizer.succeeded(logCount)
    next = end.number + 1
  }
  return listed
}

/** Adds a denylister to those that list an account, or removes it. */
export function changeListing(
  before: readonly string[],
  { denylister, isListed }: { readonly denylister: string; readonly isListed: boolean },
): readonly string[] {
  const others = before.filter((by) => by !== denylister)
  return isListed ? [...others, denylister].sort() : others
}

/** Reads the ids of all accounts that an index has as listed. */
export async function readIndexedListings(index: IndexReader): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const after = ids.at(-1) ?? '0x'
    const query = `{ accounts(first: 1000, orderBy: id, where: { denylisted: true, id_gt: "${after}" }) { id } }`
    const { data } = await index.execute({ query })
    const page = (data?.['accounts'] ?? []) as readonly { readonly id: string }[]
    ids.push(...page.map(({ id }) => id))
    if (page.length < 1_000) return ids
  }
}

/** Replaces the denylist of an index. */
export function adoptDenylisters(
  context: Context,
  { adoption: { listed, indexed }, denylisters }: { readonly adoption: Adoption; readonly denylisters: Denylisters },
): void {
  for (const id of new Set([...indexed, ...listed.keys()])) {
    const denylistedBy = listed.get(id) ?? []
    changeAccount(context.set, { id, change: () => ({ denylistedBy, denylisted: denylistedBy.length > 0 }) })
  }
  changePool(context, () => ({
    denylister: denylisters.positions ?? null,
    dollarDenylister: denylisters.dollar ?? null,
  }))
}
