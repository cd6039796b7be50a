import type { KeyKind, KeyScope } from '@tallystick/core'

/** API key as the operator sees it. Timestamps are Unix seconds. The secret is shown once, when it is created. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  readonly scopes: readonly KeyScope[]
  /** Requests per minute. Null is unlimited. */
  readonly rpm: number | null
  readonly createdAt: bigint
  readonly expiresAt: bigint | null
  readonly revokedAt: bigint | null
  /** Written at most once a minute. */
  readonly lastUsedAt: bigint | null
}

export type NewKey = Pick<ApiKey, 'name' | 'kind' | 'scopes' | 'rpm' | 'expiresAt'>

/** Key with the revision of its last change. */
export type RevisedKey = ApiKey & { readonly revision: bigint }

/** Key with its new secret, which is not stored. */
export type IssuedKey = { readonly key: RevisedKey; readonly secret: string }

/** Row of `api_keys`. */
export type KeyRow = {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  readonly scopes: KeyScope[]
  readonly rpm: number | null
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly last_used_at: bigint | null
  readonly revision: bigint
}

export function fromKeyRow(row: KeyRow): RevisedKey {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: row.scopes,
    rpm: row.rpm,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    revision: row.revision,
  }
}
