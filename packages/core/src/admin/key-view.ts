import type { KeyScope } from '../key/api-key.ts'
import type { QuotaUse } from './usage-report.ts'

/** Key as the admin listener and the command line show it. */
export type KeyView = {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly scopes: readonly string[]
  /** Requests per minute. Null is unlimited. */
  readonly rpm: number | null
  /** Most requests within any second, on each replica. Null is unlimited. */
  readonly burst: number | null
  /** Requests per UTC day and month. Null is unlimited. */
  readonly quotaPerDay: number | null
  readonly quotaPerMonth: number | null
  /** Networks that the key may be used from. Null is any. */
  readonly allow: readonly string[] | null
  readonly status: 'active' | 'revoked' | 'expired'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** Number of its last change. A change that sends it is refused if there was another one meanwhile. */
  readonly revision: string
}

/** Replicas that apply a change of keys, and those that may not yet. */
export type ReplicaReport = {
  /** Names of the replicas that have loaded the change. */
  readonly confirmed: readonly string[]
  /** Replicas that have not confirmed it. One not seen for long has stopped, or runs on without its database. */
  readonly unconfirmed: readonly { readonly name: string; readonly secondsSinceSeen: number }[]
}

/** Key, and its requests of the last 48 UTC hours on all replicas. Those of another replica arrive up to a minute late. */
export type KeyReport = {
  readonly key: KeyView
  /** Starts of the hours, oldest first. The last is this hour. */
  readonly hours: readonly string[]
  /** Requests in each of `hours`, by endpoint. */
  readonly byScope: Readonly<Record<KeyScope, readonly number[]>>
  /** Quotas of today and this month, UTC, with the requests that were allowed. Null without a quota. */
  readonly quotas: { readonly day: QuotaUse | null; readonly month: QuotaUse | null }
}

/** Key after a change. A created or rotated key has a new secret; other changes are confirmed by replicas. */
export type KeyChange = { readonly key: KeyView; readonly secret?: string; readonly replicas?: ReplicaReport }
