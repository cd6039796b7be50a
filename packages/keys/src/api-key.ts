import type { KeyKind, KeyScope } from '@tallystick/core'

/** API key as the operator sees it. Timestamps are Unix seconds. The secret is shown once, when it is created. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  readonly scopes: readonly KeyScope[]
  /** Requests per minute. Null is unlimited. */
  readonly rpm: number | null
  /** Most requests within any second, on each replica. Null is unlimited. */
  readonly burst: number | null
  /** Requests per UTC day and month. Null is unlimited. */
  readonly quotaPerDay: number | null
  readonly quotaPerMonth: number | null
  /** Networks that the key may be used from. Null is any. */
  readonly allow: readonly string[] | null
  readonly createdAt: bigint
  readonly expiresAt: bigint | null
  readonly revokedAt: bigint | null
  /** Written at most once a minute. */
  readonly lastUsedAt: bigint | null
}

/** Members of a key that limit its use. */
export type KeyLimits = Pick<ApiKey, 'rpm' | 'burst' | 'quotaPerDay' | 'quotaPerMonth' | 'allow'>

export type NewKey = Pick<ApiKey, 'name' | 'kind' | 'scopes' | 'expiresAt'> & KeyLimits

/** Key with the revision of its last change. */
export type RevisedKey = ApiKey & { readonly revision: bigint }

/** Key with its new secret, which is not stored. */
export type IssuedKey = { readonly key: RevisedKey; readonly secret: string }

/** Columns of `api_keys` as members of a key. */
export const keyColumns = `id, name, kind, scopes, rpm, burst, quota_per_day as "quotaPerDay", quota_per_month as "quotaPerMonth",
  allow, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt", revision`
