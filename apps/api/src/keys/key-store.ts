import { hash, randomBytes } from 'node:crypto'
import { createApiKey, type KeyKind, type KeyScope, TallystickError } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import { type Auditor, auditedTransaction } from '../audit/audit-log.ts'

/** A key as the operator sees it. Timestamps are Unix seconds. The secret is not here: it is shown once, at its making. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  readonly scopes: readonly KeyScope[]
  /** Requests per minute; null is without limit. */
  readonly rpm: number | null
  readonly createdAt: bigint
  readonly expiresAt: bigint | null
  readonly revokedAt: bigint | null
  /** Written at most once a minute. */
  readonly lastUsedAt: bigint | null
}

/** A key with the hashes of its secrets: more than one while a rotation's grace lasts. */
export type StoredKey = ApiKey & {
  readonly revision: bigint
  readonly secrets: readonly { readonly hash: string; readonly expiresAt: bigint | null }[]
}

export type NewKey = Pick<ApiKey, 'name' | 'kind' | 'scopes' | 'rpm' | 'expiresAt'>

/** A key together with its secret, which no one will see again. */
export type IssuedKey = { readonly key: ApiKey; readonly secret: string }

export const keysChannel = 'tallystick_keys'

// `revision` counts changes. It comes from one row that every change locks, so revisions are committed in order and
// "everything above the last one I saw" never misses a change (a sequence would hand out 5 and 6 and commit 6 first).
export const keyMigrations: readonly Migration[] = [
  {
    name: 'keys',
    statements: [
      `create table api_keys (
         id text primary key, name text not null, kind text not null, scopes text[] not null, rpm int,
         created_at bigint not null, expires_at bigint, revoked_at bigint, last_used_at bigint,
         revision bigint not null unique)`,
      `create table api_key_secrets (
         hash text primary key, key_id text not null references api_keys, created_at bigint not null, expires_at bigint)`,
      'create index api_key_secrets_by_key on api_key_secrets (key_id)',
      'create table api_key_revision (value bigint not null)',
      'insert into api_key_revision values (0)',
    ],
  },
]

/** The form in which a secret is stored and looked up. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

export async function createKey(
  database: Database,
  { key, nowSeconds, auditor }: { readonly key: NewKey; readonly nowSeconds: bigint; readonly auditor: Auditor },
): Promise<IssuedKey> {
  const id = `key_${randomBytes(6).toString('hex')}`
  const issued = await auditedTransaction(database, auditor, async (transaction, record) => {
    await transaction.query(
      `insert into api_keys (id, name, kind, scopes, rpm, created_at, expires_at, revision)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, key.name, key.kind, key.scopes, key.rpm, nowSeconds, key.expiresAt, await nextRevision(transaction)],
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
  const rows = await database.query<KeyRow>('select * from api_keys order by created_at, id')
  return rows.map(fromRow)
}

/** Refuses a key from now on. Revoking it again changes nothing. */
export async function revokeKey(
  database: Database,
  { id, nowSeconds, auditor }: { readonly id: string; readonly nowSeconds: bigint; readonly auditor: Auditor },
): Promise<ApiKey> {
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

/** Makes a new secret; those before it live on for the grace, or as long as they had if that is shorter. */
export async function rotateKey(
  database: Database,
  {
    id,
    graceSeconds,
    nowSeconds,
    auditor,
  }: {
    readonly id: string
    readonly graceSeconds: number
    readonly nowSeconds: bigint
    readonly auditor: Auditor
  },
): Promise<IssuedKey> {
  const issued = await auditedTransaction(database, auditor, async (transaction, record) => {
    const revision = await nextRevision(transaction)
    const key = await getKey(transaction, id)
    assertActive(key, nowSeconds)
    await transaction.query(
      'update api_key_secrets set expires_at = least(expires_at, $2) where key_id = $1', // least() passes over null
      [id, nowSeconds + BigInt(graceSeconds)],
    )
    const secret = await addSecret(transaction, { id, kind: key.kind, nowSeconds })
    await transaction.query('update api_keys set revision = $2 where id = $1', [id, revision])
    await record({ action: 'key.rotate', subject: id, details: { name: key.name, graceSeconds } })
    return { key, secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

/** Every key that changed after a revision, with the hashes of its secrets. */
export async function findChangedKeys(database: Queryable, afterRevision: bigint): Promise<StoredKey[]> {
  const rows = await database.query<KeyRow & { secrets: { hash: string; expires_at: string | number | null }[] }>(
    `select k.*, coalesce((select jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at))
                           from api_key_secrets s where s.key_id = k.id), '[]') as secrets
     from api_keys k where k.revision > $1 order by k.revision`,
    [afterRevision],
  )
  return rows.map((row) => ({
    ...fromRow(row),
    revision: row.revision,
    secrets: row.secrets.map((secret) => ({
      hash: secret.hash,
      expiresAt: secret.expires_at === null ? null : BigInt(secret.expires_at),
    })),
  }))
}

/** Notes when keys were last used. Not a change of the key: the revision stays. */
export async function recordKeyUse(
  database: Queryable,
  uses: readonly { readonly id: string; readonly atSeconds: bigint }[],
): Promise<void> {
  if (uses.length === 0) return
  await database.query(
    `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
     from unnest($1::text[], $2::bigint[]) as u (id, at) where k.id = u.id`,
    [uses.map(({ id }) => id), uses.map(({ atSeconds }) => atSeconds.toString())],
  )
}

type KeyRow = {
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
  await transaction.query('insert into api_key_secrets (hash, key_id, created_at) values ($1, $2, $3)', [
    hashSecret(secret),
    id,
    nowSeconds,
  ])
  return secret
}

async function getKey(transaction: Queryable, id: string): Promise<ApiKey> {
  // What cannot be an id is not asked for: text from outside may hold what the database refuses.
  const isId = /^key_[0-9a-f]{12}$/.test(id)
  const [row] = isId ? await transaction.query<KeyRow>('select * from api_keys where id = $1', [id]) : []
  if (row) return fromRow(row)
  throw new TallystickError({
    code: 'key_not_found',
    message: `There is no key ${JSON.stringify(id.slice(0, 60))}. \`tallystick keys list\` shows those there are.`,
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

function fromRow(row: KeyRow): ApiKey {
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
  }
}
