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
export type IssuedKey = { readonly key: RevisedKey; readonly secret: string }

/** A key with the revision of its last change. */
export type RevisedKey = ApiKey & { readonly revision: bigint }

/** A place in the history of keys. The id is random: a history that was restored and changed has others. */
export type KeyPosition = { readonly revision: bigint; readonly changeId: string | null }

export type KeyChanges = {
  readonly head: KeyPosition
  /** Whether the database goes on from the position asked about; otherwise `keys` are all there are. */
  readonly isForward: boolean
  /** Keys there are, revoked ones too. */
  readonly count: number
  readonly keys: readonly StoredKey[]
}

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

// Each revision has a random id, made by a trigger so that a replica of an earlier version makes it too.
export const keyChangeMigrations: readonly Migration[] = [
  {
    name: 'key changes',
    statements: [
      'create table api_key_changes (revision bigint primary key, id uuid not null default gen_random_uuid())',
      'insert into api_key_changes (revision) select value from api_key_revision',
      `create function note_key_change() returns trigger language plpgsql as $$
         begin
           insert into api_key_changes (revision) values (new.value)
             on conflict (revision) do update set id = gen_random_uuid();
           return null;
         end $$`,
      `create trigger api_key_changed after update on api_key_revision
         for each row execute function note_key_change()`,
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
): Promise<RevisedKey> {
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
    await endSecrets(transaction, { id, graceSeconds, nowSeconds })
    const secret = await addSecret(transaction, { id, kind: key.kind, nowSeconds })
    await transaction.query('update api_keys set revision = $2 where id = $1', [id, revision])
    await record({ action: 'key.rotate', subject: id, details: { name: key.name, graceSeconds } })
    return { key: { ...key, revision }, secret }
  })
  await database.notify(keysChannel, id)
  return issued
}

/**
 * Reads every key that changed after a position, or all of them if the database does not go on from there: after a
 * restore its revision is lower, or it was passed by other changes.
 */
export async function readKeyChanges(database: Queryable, { revision, changeId }: KeyPosition): Promise<KeyChanges> {
  // One statement, so that the position and the keys are of one moment.
  const rows = await database.query<HeadRow & { [Member in keyof KeyRow]: KeyRow[Member] | null }>(
    `with head as (
       select r.value as head_revision, c.id::text as head_change, (select count(*)::int from api_keys) as count,
              r.value >= $1 and exists (select from api_key_changes p where p.revision = $1 and p.id::text = $2) as forward
       from api_key_revision r left join api_key_changes c on c.revision = r.value)
     select h.*, k.*, coalesce((select jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at))
                                from api_key_secrets s where s.key_id = k.id), '[]') as secrets
     from head h left join api_keys k on k.revision > case when h.forward then $1 else -1 end
     order by k.revision`,
    [revision, changeId],
  )
  const [head] = rows
  if (!head) throw new Error('api_key_revision has no row')
  return {
    head: { revision: head.head_revision, changeId: head.head_change },
    isForward: head.forward,
    count: head.count,
    keys: rows.flatMap((row) => (row.id === null ? [] : [fromStoredRow(row as HeadRow & KeyRow)])),
  }
}

function fromStoredRow(row: HeadRow & KeyRow): StoredKey {
  return {
    ...fromRow(row),
    revision: row.revision,
    secrets: row.secrets.map((secret) => ({
      hash: secret.hash,
      expiresAt: secret.expires_at === null ? null : BigInt(secret.expires_at),
    })),
  }
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

type HeadRow = {
  readonly head_revision: bigint
  readonly head_change: string | null
  readonly forward: boolean
  readonly count: number
  readonly secrets: readonly { readonly hash: string; readonly expires_at: string | number | null }[]
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

async function endSecrets(
  transaction: Queryable,
  { id, graceSeconds, nowSeconds }: { readonly id: string; readonly graceSeconds: number; readonly nowSeconds: bigint },
): Promise<void> {
  // Deleted, since an expiry would leave them in force on a replica whose clock is behind.
  if (graceSeconds === 0) await transaction.query('delete from api_key_secrets where key_id = $1', [id])
  else
    await transaction.query(
      'update api_key_secrets set expires_at = least(expires_at, $2) where key_id = $1', // least() passes over null
      [id, nowSeconds + BigInt(graceSeconds)],
    )
}

async function getKey(transaction: Queryable, id: string): Promise<RevisedKey> {
  // What cannot be an id is not asked for: text from outside may hold what the database refuses.
  const isId = /^key_[0-9a-f]{12}$/.test(id)
  const [row] = isId ? await transaction.query<KeyRow>('select * from api_keys where id = $1', [id]) : []
  if (row) return { ...fromRow(row), revision: row.revision }
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
