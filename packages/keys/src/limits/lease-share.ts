import { hashText } from './lease-window.ts'

type ShareOptions = {
  readonly keyId: string
  readonly limit: number
  /** Ids of the live replicas, sorted. */
  readonly members: readonly string[]
  readonly id: string
}

/**
 * Returns the part of a limit that a replica may spend in a window in which the database does not have its entry yet. The
 * shares of all members add up to the limit. The key decides which members have one more than the others.
 */
export function shareOf({ keyId, limit, members, id }: ShareOptions): number {
  const position = members.indexOf(id)
  if (position < 0) return 0
  const rank = (position + hashText(keyId)) % members.length
  return Math.floor(limit / members.length) + (rank < limit % members.length ? 1 : 0)
}

type HoldOptions = {
  readonly period: 'minute' | 'day' | 'month'
  readonly limit: number
  readonly members: number
  readonly demand: number
}

/**
 * Returns how many unspent requests a replica holds of a key. More of them tolerate larger bursts between two statements.
 * They are lost until the end of the window if the replica is killed: 2.5 % of a limit per minute, or 10 requests. A
 * replica alone loses nothing to others and holds a quarter. Quotas are held by recent demand, because a lost hold is
 * lost for a day or a month.
 */
export function holdOf({ period, limit, members, demand }: HoldOptions): number {
  const chunk = Math.max(1, Math.floor(limit / 40))
  if (period !== 'minute') return Math.min(chunk, Math.max(10, 4 * demand))
  if (members === 1) return Math.max(chunk, Math.floor(limit / 4))
  return Math.max(chunk, Math.min(10, Math.floor(limit / (2 * members))))
}
