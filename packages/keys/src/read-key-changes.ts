import type { Queryable } from '@tallystick/database'
import { keyColumns, type RevisedKey } from './api-key.ts'

export const keysChannel = 'tallystick_keys'

/** Position in the history of keys. The change id is random, so it differs after a restore and a new change. */
export type KeyPosition = { readonly revision: bigint; readonly changeId: string | null }

/** Position before any history. Changes after it are all keys. */
export const noPosition: KeyPosition = { revision: -1n, changeId: null }

/** Key with the hashes of its secrets. It has more than one during the grace period of a rotation. */
export type StoredKey = RevisedKey & {
  readonly secrets: readonly { readonly hash: string; readonly expiresAt: bigint | null }[]
}

export type KeyChanges = {
  readonly head: KeyPosition
  /** Whether `keys` are the changes after the given position. Otherwise they are all keys. */
  readonly isForward: boolean
  /** Number of keys in the database, revoked ones included. */
  readonly count: number
  readonly keys: readonly StoredKey[]
}

// Planners estimate thousands of rows for the one row of `api_key_revision`, unless a limit says otherwise.
const revisionRow = '(select value from api_key_revision limit 1) r left join api_key_changes c on c.revision = r.value'

/**
 * Reads the keys that changed after a position. Returns undefined if none did, which is cheap: it is read twice a second.
 * Reads all keys if the database does not contain the position: after a restore its revision is lower, or it belongs to
 * another change.
 */
export async function readKeyChanges(database: Queryable, position: KeyPosition): Promise<KeyChanges | undefined> {
  return (await isAt(database, position)) ? undefined : readKeysAfter(database, position)
}

async function isAt(database: Queryable, { revision, changeId }: KeyPosition): Promise<boolean> {
  const [head] = await database.query<{ readonly revision: bigint; readonly change_id: string | null }>(
    `select r.value as revision, c.id::text as change_id from ${revisionRow}`,
    [],
    { isFrequent: true },
  )
  return changeId !== null && head?.revision === revision && head.change_id === changeId
}

async function readKeysAfter(database: Queryable, { revision, changeId }: KeyPosition): Promise<KeyChanges> {
  // One statement, so that position and keys are of the same moment.
  const rows = await database.query<HeadRow & { [Member in keyof RevisedKey]: RevisedKey[Member] | null }>(
    `with head as (
       select r.value as head_revision, c.id::text as head_change, (select count(*)::int from api_keys) as count,
              r.value >= $1 and exists (select from api_key_changes p where p.revision = $1 and p.id::text = $2) as forward
       from ${revisionRow})
     select h.*, ${keyColumns}, coalesce((select jsonb_agg(jsonb_build_object('hash', s.hash, 'expires_at', s.expires_at))
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
    keys: rows.flatMap((row) => (row.id === null ? [] : [toStoredKey(row as HeadRow & RevisedKey)])),
  }
}

type HeadRow = {
  readonly head_revision: bigint
  readonly head_change: string | null
  readonly forward: boolean
  readonly count: number
  readonly secrets: readonly { readonly hash: string; readonly expires_at: string | number | null }[]
}

function toStoredKey({ head_revision, head_change, forward, count, ...row }: HeadRow & RevisedKey): StoredKey {
  const secrets = row.secrets.map(({ hash, expires_at }) => ({
    hash,
    expiresAt: expires_at === null ? null : BigInt(expires_at),
  }))
  return { ...row, secrets }
}
