import type { AuditEntryView, AuditFilter } from '@tallystick/core'
import type { Logger } from 'pino'
import type { Database, Queryable } from './database.ts'
import type { Migration } from './migration.ts'

/** Recorded change. */
export type AuditEntry = Omit<AuditEntryView, 'id'> & { readonly id: bigint }

/** Change to record. `details` is stored and logged: it must not contain secrets, and bigints must be strings. */
export type AuditedChange = Pick<AuditEntry, 'action' | 'subject'> & {
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Author of a change, and the log if there is one. */
export type Auditor = {
  readonly actor: string
  readonly remark?: string | undefined
  readonly log?: Pick<Logger, 'info'> | undefined
}

// A statement-level trigger also rejects statements that match no row, and TRUNCATE, which has no row triggers.
export const auditMigrations: readonly Migration[] = [
  {
    name: 'audit',
    statements: [
      `create table audit (
         id bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
         actor text not null, remark text, action text not null, subject text not null, details jsonb not null)`,
      `create function refuse_audit_change() returns trigger language plpgsql as
         $$ begin raise exception 'the audit table is append-only: % is refused', tg_op; end $$`,
      `create trigger audit_append_only before update or delete or truncate on audit
         for each statement execute function refuse_audit_change()`,
    ],
  },
]

/** Records a change in the transaction that makes it. Prefer `auditedTransaction`, which also logs the change. */
export async function recordAudit(
  transaction: Queryable,
  { actor, remark, action, subject, details = {} }: AuditedChange & Pick<Auditor, 'actor' | 'remark'>,
): Promise<void> {
  const statement = 'insert into audit (actor, remark, action, subject, details) values ($1, $2, $3, $4, $5)'
  await transaction.query(statement, [actor, remark ?? null, action, subject, details])
}

/** Runs a transaction, records its changes in it, and logs them after the commit. */
export async function auditedTransaction<Result>(
  database: Database,
  { actor, remark, log }: Auditor,
  work: (transaction: Queryable, record: (change: AuditedChange) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const changes: AuditedChange[] = []
  const result = await database.transaction((transaction) =>
    work(transaction, async (change) => {
      await recordAudit(transaction, { ...change, actor, remark })
      changes.push(change)
    }),
  )
  for (const change of changes) log?.info({ actor, ...(remark && { remark }), ...change }, 'audit')
  return result
}

/** Lists the newest entries that a filter lets through, newest first. */
export async function listAudit(
  database: Queryable,
  { limit, by, action, subject, since, until }: AuditFilter & { readonly limit: number },
): Promise<AuditEntry[]> {
  return database.query<AuditEntry>(
    `select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, actor, remark, action, subject, details
     from audit where ($2::text is null or position(lower($2) in lower(actor || ' ' || coalesce(remark, ''))) > 0)
       and ($3::text is null or action = $3 or starts_with(action, $3 || '.')) and ($4::text is null or subject = $4)
       and ($5::timestamptz is null or at >= $5::timestamptz) and ($6::timestamptz is null or at < $6::timestamptz)
     order by id desc limit $1`,
    [limit, by ?? null, action ?? null, subject ?? null, since ?? null, until ?? null],
  )
}
