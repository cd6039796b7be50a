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
      details: { ...key, expiresAt: key.expiresAt?.toString() ?? null, secret: hintOf(secret) },
    })
    return { key: await getKey(transaction, id), secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

export async function listKeys(database: Queryable): Promise<RevisedKey[]> {
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
    await record({
      action: 'key.rotate',
      subject: id,
      details: { name: key.name, graceSeconds, secret: hintOf(secret) },
    })
    return { key: { ...key, revision }, secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

/** Members of a key that can be changed. */
type KeyMembers = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'> & KeyLimits

type KeyUpdate = KeyChange & {
  readonly changes: { readonly [Member in keyof KeyMembers]?: KeyMembers[Member] | undefined }
  /** Revision that the change was made on. Another one is refused. */
  readonly revision?: bigint | undefined
}

/** Changes members of a key. Those that are undefined stay as they are. */
export async function updateKey(
  database: Database,
  { id, changes, revision: seen, nowSeconds, auditor }: KeyUpdate,
): Promise<RevisedKey> {
  const updated = await auditedTransaction(database, auditor, async (transaction, record) => {
    // Locks: another change of keys waits, and then sees this one.
    const revision = await nextRevision(transaction)
    const known = await getKey(transaction, id)
    if (seen !== undefined && seen !== known.revision) throw changedMeanwhile(known)
    assertActive(known, nowSeconds)
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    const next: KeyMembers = { ...known, ...Object.fromEntries(given) }
    await transaction.query(
      `update api_keys set rpm = $2, burst = $3, quota_per_day = $4, quota_per_month = $5, allow = $6, revision = $7,
         name = $8, scopes = $9, expires_at = $10 where id = $1`,
      [
        ...[id, next.rpm, next.burst, next.quotaPerDay, next.quotaPerMonth, next.allow, revision],
        ...[next.name, next.scopes, next.expiresAt],
      ],
    )
    await record({ action: 'key.update', subject: id, details: describeUpdate(known, given) })
    return getKey(transaction, id)
  })
  await database.notify(keysChannel, id)
  return updated
}

/** Returns the members that were given, in the form of the audit. A new name is `newName`. */
function describeUpdate({ name }: ApiKey, given: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const members = given.map(([member, value]) => [
    member === 'name' ? 'newName' : member,
    typeof value === 'bigint' ? value.toString() : value,
  ])
  return { name, ...Object.fromEntries(members) }
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

/** Returns what tells a secret from others and is no use without the rest. The end is part of its checksum. */
function hintOf(secret: string): string {
  return `${secret.slice(0, 'tsk_live_'.length)}…${secret.slice(-4)}`
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

/** Returns a key. Throws `key_not_found`. */
export async function getKey(transaction: Queryable, id: string): Promise<RevisedKey> {
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

function changedMeanwhile({ id, name }: ApiKey): TallystickError {
  return new TallystickError({
    code: 'key_changed',
    message: `Nothing was changed: somebody else has changed key "${id}" (${JSON.stringify(name)}) meanwhile. Look at it again, then repeat your change.`,
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
