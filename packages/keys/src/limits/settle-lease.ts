import { shareOf } from './lease-share.ts'

/** Part of a limit that one replica has taken in a window. Only that replica writes it. */
export type LeaseEntry = {
  /** Most requests the replica may allow in the window, spent ones included. At least its share while nobody needs more. */
  readonly granted: number
  /** Requests it had allowed when it wrote the entry. */
  readonly spent: number
  /** Part of `granted` that counts if the replica is killed: `spent` and its hold. Earlier releases wrote `granted` only. */
  readonly held?: number | undefined
  /** Whether it wants more than was left. */
  readonly short: boolean
}

/** All entries of a limit in one window. */
export type LeaseRow = {
  /** Incremented with every change. A write with another version is rejected. */
  readonly version: number
  /** Requests granted to replicas that have stopped. */
  readonly gone: number
  readonly entries: Readonly<Record<string, LeaseEntry>>
}

/** Replicas as the database knows them. */
export type Members = {
  readonly id: string
  readonly live: ReadonlySet<string>
  /** Memberships that some replica may believe in, each sorted. They differ for a moment when a replica comes or goes. */
  readonly beliefs: readonly (readonly string[])[]
  /** Replicas without an entry whose share is kept for them. Live ones, and those last seen in this window. */
  readonly reserving: readonly string[]
  /** All replicas that have not stopped in order. */
  readonly known: ReadonlySet<string>
}

export type Settlement = {
  readonly row: LeaseRow
  readonly entry: LeaseEntry & { readonly held: number }
  /** Most that this replica could have if the others gave up their shares: the limit without what they hold. */
  readonly room: number
  /** Whether no replica is left that could give anything back. */
  readonly isExhausted: boolean
  readonly isChanged: boolean
  /** Whether other replicas have to look at the row. */
  readonly isNoticed: boolean
}

type LeaseInput = {
  readonly members: Members
  readonly keyId: string
  readonly limit: number
  readonly spent: number
  /** Most that this replica may allow now. */
  readonly granted: number
  readonly held: number
  /** What it keeps while nobody needs more than a share, so that it can go on without the database. */
  readonly share: number
  /** Whether the others keep its share while it has no entry. */
  readonly isExpected: boolean
  /** Unspent requests that it should hold. */
  readonly hold: number
  readonly isIdle: boolean
  /** Whether the database was restored. Then it takes no more until every replica has written what it knows. */
  readonly isFrozen: boolean
  /** Whether every change of `spent` is written, because operators read it. */
  readonly isExact: boolean
}

/**
 * Decides a replica's next entry of a limit. Invariant: the entries, and the shares of replicas without one, never exceed
 * the limit, except by what was already spent.
 */
export function settleLease(row: LeaseRow | undefined, input: LeaseInput): Settlement {
  const { members, keyId, limit, spent, granted, held, share, isExpected, hold, isIdle, isFrozen, isExact } = input
  const others = sumOthers(row, { members, keyId, limit })
  const own = row?.entries[members.id]
  const free = Math.max(0, limit - others.counted)
  const isGivingBack = isIdle && others.areShort
  const left = held - spent
  const isEnough = own !== undefined && left >= hold / 2 && left <= 2 * hold && !isGivingBack
  const wanted = isEnough ? held : spent + (isGivingBack ? 0 : hold)
  // The others may have a little more for a moment, when a replica comes or goes. None has to give up its share for that.
  const expected = isExpected ? Math.floor((share * Math.max(0, limit - others.lost)) / limit) : 0
  const sure = Math.min(granted, own?.granted ?? expected)
  const kept = others.areModest ? Math.min(share, Math.max(free, sure)) : 0
  // In a freeze it takes nothing from the others, but may hold more of its share. With less than its hold it would seem to be
  // short, and the others would give up their shares.
  const heldInFreeze = Math.max(held, Math.min(wanted, granted, share))
  const nextHeld = Math.max(spent, isFrozen ? heldInFreeze : Math.min(wanted, Math.max(free, kept)))
  const next = Math.max(nextHeld, isFrozen ? granted : kept)
  const short = !isIdle && nextHeld < spent + Math.ceil(hold / 2)
  const entry = { granted: next, held: nextHeld, spent, short }
  const isChanged =
    own === undefined ||
    own.short !== short ||
    own.granted !== next ||
    heldOf(own) !== nextHeld ||
    // It may only be raised with a confirmation, also if an earlier one was lost.
    next > granted ||
    nextHeld > held ||
    ((short || isExact) && own.spent !== spent)
  return {
    row: { version: (row?.version ?? 0) + 1, gone: others.gone, entries: { ...others.entries, [members.id]: entry } },
    entry,
    room: Math.max(0, limit - others.held),
    isExhausted: free <= spent && others.comingMax === 0,
    isChanged,
    isNoticed: row === undefined || isFrozen || (short && !own?.short),
  }
}

/** Sums the parts of the other replicas, as counted while they live and as they remain if they are killed. */
function sumOthers(
  row: LeaseRow | undefined,
  { members, keyId, limit }: { readonly members: Members; readonly keyId: string; readonly limit: number },
) {
  const { id, live, reserving, known } = members
  const sharesOf = (replica: string) =>
    members.beliefs.map((believed) => {
      const present = believed.includes(replica) ? believed : [...believed, replica].sort()
      return shareOf({ keyId, limit, members: present, id: replica })
    })
  const entries: Record<string, LeaseEntry> = {}
  let gone = row?.gone ?? 0
  let counted = 0
  let held = 0
  // Part of those that are not live.
  let lost = 0
  let comingMax = 0
  let areShort = false
  // Whether none needs more than its share.
  let areModest = true
  for (const [replica, entry] of Object.entries(row?.entries ?? {})) {
    if (replica === id) continue
    if (!known.has(replica)) {
      gone += heldOf(entry)
      continue
    }
    entries[replica] = entry
    held += heldOf(entry)
    if (!live.has(replica)) {
      counted += heldOf(entry)
      lost += heldOf(entry)
      continue
    }
    const shares = sharesOf(replica)
    // It reduces what it keeps to its share when it knows of a new replica.
    const part = Math.max(heldOf(entry), Math.min(entry.granted, Math.max(...shares)))
    counted += part
    comingMax += Math.max(0, part - entry.spent)
    areShort ||= entry.short
    areModest &&= !entry.short && heldOf(entry) <= Math.min(...shares)
  }
  for (const replica of reserving) {
    if (replica === id || row?.entries[replica]) continue
    const share = Math.max(...sharesOf(replica))
    counted += share
    held += share
    if (live.has(replica)) comingMax += share
    else lost += share
  }
  return {
    counted: gone + counted,
    held: gone + held,
    lost: gone + lost,
    gone,
    comingMax,
    areShort,
    areModest,
    entries,
  }
}

function heldOf({ held, granted }: LeaseEntry): number {
  return held ?? granted
}
