import { shareOf } from './lease-share.ts'

/** Part of a limit that one replica has taken in a window. Only that replica writes it. */
export type LeaseEntry = {
  /** Most requests the replica may allow in the window, spent ones included. */
  readonly granted: number
  /** Requests it had allowed when it wrote the entry. */
  readonly spent: number
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
  readonly entry: LeaseEntry
  /** Most that this replica could have: the limit without the parts of all others. */
  readonly room: number
  /** Whether no replica is left that could give anything back. */
  readonly isExhausted: boolean
  readonly isChanged: boolean
  /** Whether other replicas have to look at the row. */
  readonly isNoticed: boolean
}

/**
 * Decides a replica's next entry of a limit. Invariant: the entries, and the shares of replicas without one, never exceed
 * the limit, except by what was already spent.
 */
export function settleLease(
  row: LeaseRow | undefined,
  {
    members,
    keyId,
    limit,
    spent,
    granted,
    hold,
    isIdle,
    isFrozen,
    isExact,
  }: {
    readonly members: Members
    readonly keyId: string
    readonly limit: number
    readonly spent: number
    /** Most that this replica may allow now. */
    readonly granted: number
    /** Unspent requests that it should hold. */
    readonly hold: number
    readonly isIdle: boolean
    /** Whether the database lost an entry of this replica. Then it takes no more in this window. */
    readonly isFrozen: boolean
    /** Whether every change of `spent` is written, because operators read it. */
    readonly isExact: boolean
  },
): Settlement {
  const { others, gone, comingMax, othersShort, entries } = sumOthers(row, { members, keyId, limit })
  const own = row?.entries[members.id]
  const room = Math.max(0, limit - others)
  const wanted = spent + (isIdle && othersShort ? 0 : hold)
  const left = granted - spent
  const isEnough = own !== undefined && left >= hold / 2 && left <= 2 * hold && !(isIdle && othersShort)
  const next = isFrozen ? Math.max(spent, granted) : Math.max(spent, Math.min(isEnough ? granted : wanted, room))
  const short = !isIdle && next < spent + Math.ceil(hold / 2)
  const entry = { granted: next, spent, short }
  const isChanged =
    own === undefined || own.granted !== next || own.short !== short || ((short || isExact) && own.spent !== spent)
  return {
    row: { version: (row?.version ?? 0) + 1, gone, entries: { ...entries, [members.id]: entry } },
    entry,
    room,
    isExhausted: room <= spent && comingMax === 0,
    isChanged,
    isNoticed: row === undefined || (short && !own?.short),
  }
}

function sumOthers(
  row: LeaseRow | undefined,
  { members, keyId, limit }: { readonly members: Members; readonly keyId: string; readonly limit: number },
) {
  const { id, live, reserving, known } = members
  const entries: Record<string, LeaseEntry> = {}
  let gone = row?.gone ?? 0
  let granted = 0
  let comingMax = 0
  let othersShort = false
  for (const [replica, entry] of Object.entries(row?.entries ?? {})) {
    if (replica === id) continue
    if (!known.has(replica)) {
      gone += entry.granted
      continue
    }
    entries[replica] = entry
    granted += entry.granted
    if (!live.has(replica)) continue
    comingMax += Math.max(0, entry.granted - entry.spent)
    othersShort ||= entry.short
  }
  for (const replica of reserving) {
    if (replica === id || row?.entries[replica]) continue
    const shares = members.beliefs.map((believed) => {
      const present = believed.includes(replica) ? believed : [...believed, replica].sort()
      return shareOf({ keyId, limit, members: present, id: replica })
    })
    const share = Math.max(...shares)
    granted += share
    if (live.has(replica)) comingMax += share
  }
  return { others: gone + granted, gone, comingMax, othersShort, entries }
}
