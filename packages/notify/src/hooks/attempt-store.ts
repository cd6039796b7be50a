import type { DeliveryResponse } from '@tallystick/core'
import type { Migration, Queryable } from '@tallystick/database'
import { eventRetentionSeconds } from '../events/event-store.ts'
import type { Attempt } from './attempt.ts'

/** Attempts with their responses. Replicas of 0.1.0 write none. They delete deliveries, and with them their attempts. */
export const attemptMigrations: readonly Migration[] = [
  {
    name: 'webhook attempts',
    statements: [
      `create table hook_attempts (
         hook_id text not null, event_id bigint not null, at bigint not null, status int, duration_ms int not null,
         error text, is_resend boolean not null, response jsonb, id bigint generated always as identity primary key,
         foreign key (hook_id, event_id) references hook_deliveries on delete cascade)`,
      'create index hook_attempts_by_delivery on hook_attempts (hook_id, event_id, id)',
      'create index hook_attempts_by_age on hook_attempts (at)',
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop table hook_attempts'],
    loses: 'the attempts of webhook deliveries and the responses of the receivers',
  },
]

/** The oldest attempts of a delivery beyond this are deleted. */
const attemptsMax = 5

/** Request to a receiver that was recorded. */
export type StoredAttempt = {
  readonly at: bigint
  readonly status: number | null
  readonly durationMs: number
  readonly error: string | null
  readonly isResend: boolean
  readonly response: DeliveryResponse | null
}

type DeliveryOf = { readonly hookId: string; readonly eventId: bigint }

/** Records an attempt of a delivery that is stored. */
export async function storeAttempt(
  transaction: Queryable,
  {
    hookId,
    eventId,
    attempt,
    nowSeconds,
    isResend,
  }: DeliveryOf & { readonly attempt: Attempt; readonly nowSeconds: bigint; readonly isResend: boolean },
): Promise<void> {
  await transaction.query(
    `insert into hook_attempts (hook_id, event_id, at, status, duration_ms, error, is_resend, response)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [hookId, eventId, nowSeconds, attempt.status, attempt.durationMs, attempt.error, isResend, attempt.response],
  )
  await transaction.query(
    `delete from hook_attempts where hook_id = $1 and event_id = $2 and id <= (
       select id from hook_attempts where hook_id = $1 and event_id = $2 order by id desc offset $3 limit 1)`,
    [hookId, eventId, attemptsMax],
  )
}

/** Lists the attempts of a delivery, newest first. */
export async function listAttempts(database: Queryable, { hookId, eventId }: DeliveryOf): Promise<StoredAttempt[]> {
  return database.query<StoredAttempt>(
    `select at, status, duration_ms as "durationMs", error, is_resend as "isResend", response
     from hook_attempts where hook_id = $1 and event_id = $2 order by id desc`,
    [hookId, eventId],
  )
}

/** Deletes the attempts that are older than events are kept. */
export async function deleteOldAttempts(database: Queryable, nowSeconds: bigint): Promise<void> {
  await database.query('delete from hook_attempts where at < $1', [nowSeconds - eventRetentionSeconds])
}
