import { randomBytes } from 'node:crypto'
import { createApiKey, type KeyKind, TallystickError } from '@tallystick/core'
import { type Auditor, auditedTransaction, type Database, type Queryable } from '@tallystick/database'
import { type ApiKey, type IssuedKey, type KeyLimits, keyColumns, type NewKey, type RevisedKey } from './api-key.ts'
import { hashSecret } from './key-ring.ts'
import { keysChannel } from './read-key-changes.ts'

export async function createKey(
  database: Database,
  { key, nowSeconds, auditor }: { readonly key: NewKey; readonly nowSeconds: bigint; readonly auditor: Auditor },
): Promise<IssuedKey> {
  const id = `key_${randomBytes(6).toString('hex')}`
  const issued = await auditedTransaction(database, auditor, async (transaction, record) => {
    await transaction.query(
      `insert into api_keys (id, name, kind, scopes, created_at, expires_at, revision,
                             rpm, burst, quota_per_day, quota_per_month, allow)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[id, key.name, key.kind, key.scopes, nowSeconds, key.expiresAt, await nextRevision(transaction)],
        ...[key.rpm, key.burst, key.quotaPerDay, key.quotaPerMonth, key.allow],
      ],
    )
    const secret = await addSecret(transaction, { id, kind: key.kind, nowSeconds })
    await record({
      action: 'key.create',
      subject: id,
      details: { ...key, expiresAt: key.expiresAt?.toString() ?? null },
    })
    return { key: await getKey(transaction, id), secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

export async function listKeys(database: Queryable): Promise<ApiKey[]> {
  return database.query<RevisedKey>(`select ${keyColumns} from api_keys order by created_at, id`)
}

type KeyChange = { readonly id: string; readonly nowSeconds: bigint; readonly auditor: Auditor }

/** Revokes a key. Revoking it again changes nothing. */
export async function revokeKey(database: Database, { id, nowSeconds, auditor }: KeyChange): Promise<RevisedKey> {
  const key = await auditedTransaction(database, auditor, async (transaction, record) => {
    const known = await getKey(transaction, id)
    if (known.revokedAt !== null) return known
    await transaction.query('update api_keys set revoked_at = $2, revision = $3 where id = $1', [
      id,
      nowSeconds,
      await nextRevision(transaction),
    ])
    await record({ action: 'key.revoke', subject: id, details: { name: known.name } })
    return getKey(transaction, id)
  })
  await database.notify(keysChannel, id)
  return key
}

/** Creates a new secret. Earlier secrets expire after the grace period, or at their own expiry if that is sooner. */
export async function rotateKey(
  database: Database,
  { id, graceSeconds, nowSeconds, auditor }: KeyChange & { readonly graceSeconds: number },
): Promise<IssuedKey> {
  const issued = await auditedTransaction(database, auditor, async (transaction, record) => {
    const revision = await nextRevision(transaction)
    const key = await getKey(transaction, id)
    assertActive(key, nowSeconds)
    await endSecrets(transaction, { id, graceSeconds, nowSeconds })
    const secret = await addSecret(transaction, { id, kind: key.kind, nowSeconds })
    await transaction.query('update api_keys set revision = $2 where id = $1', [id, revision])
    await record({ action: 'key.rotate', subject: id, details: { name: key.name, graceSeconds } })
    return { key: { ...key, revision }, secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

type KeyUpdate = KeyChange & {
  readonly changes: { readonly [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined }
}

/** Changes limits of a key. Members that are undefined stay as they are. */
export async function updateKey(
  database: Database,
  { id, changes, nowSeconds, auditor }: KeyUpdate,
): Promise<RevisedKey> {
  const updated = await auditedTransaction(database, auditor, async (transaction, record) => {
    const revision = await nextRevision(transaction)
    const known = await getKey(transaction, id)
    assertActive(known, nowSeconds)
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    const next: KeyLimits = { ...known, ...Object.fromEntries(given) }
    await transaction.query(
      `update api_keys set rpm = $2, burst = $3, quota_per_day = $4, quota_per_month = $5, allow = $6, revision = $7
       where id = $1`,
      [id, next.rpm, next.burst, next.quotaPerDay, next.quotaPerMonth, next.allow, revision],
    )
    await record({ action: 'key.update', subject: id, details: { name: known.name, ...Object.fromEntries(given) } })
    return getKey(transaction, id)
  })
  await database.notify(keysChannel, id)
  return updated
}

async function nextRevision(transaction: Queryable): Promise<bigint> {
  const [row] = await transaction.query<{ value: bigint }>(
    'update api_key_revision set value = value + 1 returning value',
  )
  if (!row) throw new Error('api_key_revision has no row')
  return row.value
}

async function addSecret(
  transaction: Queryable,
  { id, kind, nowSeconds }: { readonly id: string; readonly kind: KeyKind; readonly nowSeconds: bigint },
): Promise<string> {
  const secret = createApiKey({ kind, randomBytes })
  const statement = 'insert into api_key_secrets (hash, key_id, created_at) values ($1, $2, $3)'
  await transaction.query(statement, [hashSecret(secret), id, nowSeconds])
  return secret
}

async function endSecrets(
  transaction: Queryable,
  { id, graceSeconds, nowSeconds }: { readonly id: string; readonly graceSeconds: number; readonly nowSeconds: bigint },
): Promise<void> {
  // Deleted, because an expiry would keep them valid on a replica whose clock is behind.
  if (graceSeconds === 0) await transaction.query('delete from api_key_secrets where key_id = $1', [id])
  else
    await transaction.query(
      'update api_key_secrets set expires_at = least(expires_at, $2) where key_id = $1', // least() ignores null
      [id, nowSeconds + BigInt(graceSeconds)],
    )
}

async function getKey(transaction: Queryable, id: string): Promise<RevisedKey> {
  // Malformed ids are not queried: they may contain text that the database rejects.
  const isId = /^key_[0-9a-f]{12}$/.test(id)
  const select = `select ${keyColumns} from api_keys where id = $1`
  const [key] = isId ? await transaction.query<RevisedKey>(select, [id]) : []
  if (key) return key
  throw new TallystickError({
    code: 'key_not_found',
    message: `There is no key ${JSON.stringify(id.slice(0, 60))}. \`tallystick keys list\` lists the keys.`,
    retryable: false,
  })
}

function assertActive(key: ApiKey, nowSeconds: bigint): void {
  const expired = key.expiresAt !== null && key.expiresAt <= nowSeconds
  if (key.revokedAt === null && !expired) return
  throw new TallystickError({
    code: 'key_not_active',
    message: `Key "${key.id}" is ${expired ? 'expired' : 'revoked'}. Make a new one with \`tallystick keys create\`.`,
    retryable: false,
  })
}
