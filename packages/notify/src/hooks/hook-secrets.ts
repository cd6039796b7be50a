import { randomBytes } from 'node:crypto'
import { TallystickError } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'

// The convention asks for 24 to 64 bytes.
const secretBytes = 32
// Every secret in force adds a signature to every request.
const secretsMax = 5

/** Adds a secret to a hook. It is returned here only. */
export async function addHookSecret(
  transaction: Queryable,
  { id, nowSeconds }: { readonly id: string; readonly nowSeconds: bigint },
): Promise<string> {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`
  const statement = 'insert into hook_secrets (hook_id, secret, created_at) values ($1, $2, $3)'
  await transaction.query(statement, [id, secret, nowSeconds])
  return secret
}

/** Returns the secrets in force, newest first. With `lease` none if that claim has ended. */
export async function readHookSecrets(
  database: Queryable,
  { id, nowSeconds, lease }: { readonly id: string; readonly nowSeconds: bigint; readonly lease?: string | undefined },
): Promise<string[]> {
  const rows = await database.query<{ secret: string }>(
    `select s.secret from hook_secrets s join hooks h on h.id = s.hook_id
     where h.id = $1 and (s.expires_at is null or s.expires_at > $2) and ($3::uuid is null or h.lease = $3)
     order by s.id desc`,
    [id, nowSeconds, lease ?? null],
  )
  return rows.map(({ secret }) => secret)
}

/** Ends the secrets of a hook after a grace period, or at their own end if that is sooner. Deletes those that have ended. */
export async function endHookSecrets(
  transaction: Queryable,
  { id, graceSeconds, nowSeconds }: { readonly id: string; readonly graceSeconds: number; readonly nowSeconds: bigint },
): Promise<void> {
  const statement = 'delete from hook_secrets where hook_id = $1 and ($3 or expires_at <= $2)'
  await transaction.query(statement, [id, nowSeconds, graceSeconds === 0])
  const rest = await transaction.query(
    'update hook_secrets set expires_at = least(expires_at, $2) where hook_id = $1 returning id', // least() ignores null
    [id, nowSeconds + BigInt(graceSeconds)],
  )
  if (rest.length < secretsMax) return
  throw new TallystickError({
    code: 'invalid_hook',
    message: `Nothing was changed: hook "${id}" has ${rest.length} secrets in their grace period. Wait until one ends, or rotate with --grace 0.`,
    retryable: false,
  })
}
