import type { KeyView } from '@tallystick/core'
import type { RevisedKey } from '@tallystick/keys'

export function viewKey(key: RevisedKey, nowSeconds: bigint): KeyView {
  const expired = key.expiresAt !== null && key.expiresAt <= nowSeconds
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    scopes: key.scopes,
    rpm: key.rpm,
    burst: key.burst,
    quotaPerDay: key.quotaPerDay,
    quotaPerMonth: key.quotaPerMonth,
    allow: key.allow,
    status: key.revokedAt !== null ? 'revoked' : expired ? 'expired' : 'active',
    createdAt: toIso(key.createdAt),
    expiresAt: key.expiresAt && toIso(key.expiresAt),
    revokedAt: key.revokedAt && toIso(key.revokedAt),
    lastUsedAt: key.lastUsedAt && toIso(key.lastUsedAt),
    revision: key.revision.toString(),
  } as KeyView
}

/** Formats Unix seconds as ISO 8601 in UTC. */
export function toIso(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}
