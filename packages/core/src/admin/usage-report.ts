import type { KeyScope } from '../key/api-key.ts'

/** Requests of each key with a valid scope, on all replicas. Those of another replica arrive up to a minute late. */
export type UsageReport = {
  /** UTC days, oldest first. The last is today. */
  readonly days: readonly string[]
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly lastUsedAt: string | null
    /** Requests of each of `days`. */
    readonly requests: readonly number[]
    readonly total: number
    readonly byScope: Readonly<Record<KeyScope, number>>
    /** Quotas of today and this month, UTC, with the requests that were allowed. Null without a quota. */
    readonly quotas: { readonly day: QuotaUse | null; readonly month: QuotaUse | null }
  }[]
}

export type QuotaUse = { readonly used: number; readonly allowed: number }
