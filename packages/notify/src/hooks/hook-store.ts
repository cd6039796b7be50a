import { randomBytes } from 'node:crypto'
import { TallystickError } from '@tallystick/core'
import { type Auditor, auditedTransaction, type Database, type Migration, type Queryable } from '@tallystick/database'
import { type DueHooks, dueParameters, isDue } from './claim-hooks.ts'
import { type Hook, hookColumns, hostOf } from './hook.ts'
import { addHookSecret, endHookSecrets } from './hook-secrets.ts'

// `after_event` is the last event that is done. `head_event` is the one that failed last and is tried again. `lease` names
// the claim of the replica that delivers, and ends by the database's clock: a replica that freezes keeps its connection, so
// a lock of its session would never end.
export const hookMigrations: readonly Migration[] = [
  {
    name: 'hooks',
    statements: [
      `create table hooks (
         id text primary key, url text not null, types text[] not null, chain_id bigint, created_at bigint not null,
         after_event bigint not null, head_event bigint, attempts int not null default 0, failing_since bigint,
         next_attempt_at bigint, last_error text, last_success_at bigint, disabled_at bigint, disabled_reason text,
         lease uuid, lease_until timestamptz)`,
      `create table hook_secrets (
         hook_id text not null references hooks on delete cascade, secret text not null,
         created_at bigint not null, expires_at bigint, id bigint generated always as identity primary key)`,
      'create index hook_secrets_by_hook on hook_secrets (hook_id)',
      `create table hook_deliveries (
         hook_id text not null references hooks on delete cascade, event_id bigint not null, webhook_id text not null,
         type text not null, chain_id bigint not null, status text not null, attempts int not null,
         first_attempt_at bigint not null, last_attempt_at bigint not null, next_attempt_at bigint,
         response_status int, duration_ms int, error text, primary key (hook_id, event_id))`,
    ],
  },
]

/** Every hook has a request of its own, so this also limits the requests at a time. */
const hooksMax = 50

/** Hook, number of its secrets in force and of the events that wait for it. */
export type ListedHook = Hook & { readonly secrets: number; readonly waiting: number }

export type NewHook = Pick<Hook, 'url' | 'types' | 'chainId'>

type Change = { readonly nowSeconds: bigint; readonly auditor: Auditor }

/** Creates a hook that begins with the events after now. */
export async function createHook(
  database: Database,
  { hook, nowSeconds, auditor }: Change & { readonly hook: NewHook },
): Promise<{ readonly hook: Hook; readonly secret: string }> {
  const id = `hook_${randomBytes(6).toString('hex')}`
  return auditedTransaction(database, auditor, async (transaction, record) => {
    await transaction.query('lock table hooks in share row exclusive mode')
    await assertFewHooks(transaction)
    await transaction.query(
      `insert into hooks (id, url, types, chain_id, created_at, after_event)
       values ($1, $2, $3, $4, $5, (select coalesce(max(id), 0) from events))`,
      [id, hook.url, hook.types, hook.chainId, nowSeconds],
    )
    const secret = await addHookSecret(transaction, { id, nowSeconds })
    // The host only: the path may contain a token.
    const { types, chainId } = hook
    await record({ action: 'hook.add', subject: id, details: { host: hostOf(hook), types, chainId } })
    return { hook: await getHook(transaction, id), secret }
  })
}

export async function listHooks(
  database: Queryable,
  { nowSeconds }: { readonly nowSeconds: bigint },
): Promise<ListedHook[]> {
  return database.query<ListedHook>(
    `select ${hookColumns},
       (select count(*)::int from hook_secrets s
        where s.hook_id = h.id and (s.expires_at is null or s.expires_at > $1)) as secrets,
       (select count(*)::int from events e
        where e.id > h.after_event and e.type = any(h.types) and (h.chain_id is null or e.chain_id = h.chain_id)) as waiting
     from hooks h order by created_at, id`,
    [nowSeconds],
  )
}

/** Deletes a hook, its secrets and its deliveries. A request in progress is not recorded any more. */
export async function removeHook(
  database: Database,
  { id, auditor }: { readonly id: string; readonly auditor: Auditor },
): Promise<Hook> {
  return auditedTransaction(database, auditor, async (transaction, record) => {
    const hook = await getHook(transaction, id, 'for update')
    await transaction.query('delete from hooks where id = $1', [id])
    await record({ action: 'hook.remove', subject: id, details: { host: hostOf(hook) } })
    return hook
  })
}

/** Creates a new secret. Earlier ones sign beside it until the grace period ends. */
export async function rotateHook(
  database: Database,
  { id, graceSeconds, nowSeconds, auditor }: Change & { readonly id: string; readonly graceSeconds: number },
): Promise<{ readonly hook: Hook; readonly secret: string }> {
  return auditedTransaction(database, auditor, async (transaction, record) => {
    const hook = await getHook(transaction, id, 'for update')
    await endHookSecrets(transaction, { id, graceSeconds, nowSeconds })
    const secret = await addHookSecret(transaction, { id, nowSeconds })
    await record({ action: 'hook.rotate', subject: id, details: { host: hostOf(hook), graceSeconds } })
    return { hook, secret }
  })
}

/** Switches a hook on again, or ends its wait for the next attempt. It continues with the first event it did not get. */
export async function enableHook(
  database: Database,
  { id, auditor }: { readonly id: string; readonly auditor: Auditor },
): Promise<Hook> {
  return auditedTransaction(database, auditor, async (transaction, record) => {
    const hook = await getHook(transaction, id, 'for update')
    await transaction.query(
      `update hooks set disabled_at = null, disabled_reason = null, attempts = 0, failing_since = null,
         next_attempt_at = null where id = $1`,
      [id],
    )
    await record({ action: 'hook.enable', subject: id, details: { host: hostOf(hook) } })
    return getHook(transaction, id)
  })
}

/** Returns a hook. With `for update` it is locked until the end of the transaction. */
export async function getHook(database: Queryable, id: string, lock: '' | 'for update' = ''): Promise<Hook> {
  // Malformed ids are not queried: they may contain text that the database rejects.
  const isId = /^hook_[0-9a-f]{12}$/.test(id)
  const [hook] = isId ? await database.query<Hook>(`select ${hookColumns} from hooks where id = $1 ${lock}`, [id]) : []
  if (hook) return hook
  throw new TallystickError({
    code: 'hook_not_found',
    message: `There is no hook ${JSON.stringify(id.slice(0, 60))}. \`tallystick hooks list\` lists the hooks.`,
    retryable: false,
  })
}

/** State of all hooks, for metrics and readiness. */
export type HookCounts = {
  /** Hooks with an event to deliver now. */
  readonly due: number
  readonly failing: number
  /** Ids of the hooks that are switched off. */
  readonly disabled: readonly string[]
}

export async function countHooks(database: Queryable, due: DueHooks): Promise<HookCounts> {
  const rows = await database.query<{ id: string; disabled: boolean; failing: boolean; due: boolean }>(
    `select id, disabled_at is not null as disabled, attempts > 0 as failing, ${isDue} as due from hooks order by id`,
    dueParameters(due),
    { isFrequent: true },
  )
  const disabled = rows.filter((row) => row.disabled).map(({ id }) => id)
  const failing = rows.filter((row) => row.failing && !row.disabled).length
  return { due: rows.filter((row) => row.due).length, failing, disabled }
}

async function assertFewHooks(transaction: Queryable): Promise<void> {
  const [row] = await transaction.query<{ count: number }>('select count(*)::int as count from hooks')
  if ((row?.count ?? 0) < hooksMax) return
  throw new TallystickError({
    code: 'invalid_hook',
    message: `Nothing was changed: there are ${hooksMax} hooks, which is the limit. Remove one with \`tallystick hooks remove <id>\`.`,
    retryable: false,
  })
}
