import type { Database, Queryable } from '@tallystick/database'

// Statements of release 0.1.0, copied from it. Do not change them: they stand for the replicas of that release.

/** Schema check of 0.1.0 at its start. Throws if the database has a migration that 0.1.0 does not know. */
export async function start010(database: Database, known: readonly string[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      `create table if not exists migrations (
         scope text not null, position int not null, name text not null, applied_at timestamptz not null default now(),
         primary key (scope, position))`,
    )
    const applied = await transaction.query<{ name: string }>(
      'select name from migrations where scope = $1 order by position',
      ['api'],
    )
    applied.forEach(({ name }, position) => {
      if (known[position] !== name) throw new Error(`database_too_new: ${name}`)
    })
  })
}

const periodStart = (n: number) => 1_795_000_000 + n * 21_600

/** Writes what a replica of 0.1.0 writes: keys, curve, notes, usage, events, webhooks, log, heartbeat and audit. */
export async function write010(database: Queryable, n: number): Promise<void> {
  const [revision] = await database.query<{ value: bigint }>(
    'update api_key_revision set value = value + 1 returning value',
  )
  await database.query(
    `insert into api_keys (id, name, kind, scopes, rpm, created_at, expires_at, revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [`key_${n}`, `Wallet ${n}`, 'live', ['notes', 'data'], 600, 1, null, revision?.value],
  )
  await database.query('insert into api_key_secrets (hash, key_id, created_at) values ($1, $2, $3)', [
    `hash ${n}`,
    `key_${n}`,
    1,
  ])
  const [curve] = await database.query<{ id: bigint }>(
    `insert into curves (chain_id, effective_from, points, confirmed, source, provenance, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning *`,
    [null, periodStart(n), { 7: 369 }, false, 'manual', null, 'ann', 1],
  )
  await database.query(
    `insert into note_sets (chain_id, period_start, period_end, note_day, signer, curve_id, issued_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
    [324, periodStart(n), periodStart(n + 1), 20_000 + n, '0x01', curve?.id, 1],
  )
  await database.query(
    `insert into notes (chain_id, period_start, maturity, tenor_days, coupon_bps, valid_after, valid_before, r, s, v)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [324, periodStart(n), periodStart(n + 28), 7, 369, periodStart(n) - 1, periodStart(n + 1), '0x02', '0x03', 27],
  )
  await database.query(
    `insert into note_refusals (chain_id, period_start, reason, message, refused_at) values ($1, $2, $3, $4, $5)
     on conflict (chain_id, period_start) do update set reason = $3, message = $4, refused_at = $5`,
    [300, periodStart(n), 'no_curve', 'none', 1],
  )
  await database.query(
    `insert into api_key_usage (key_id, day, scope, requests)
     select * from unnest($1::text[], $2::int[], $3::text[], $4::bigint[]) order by 1, 2, 3
     on conflict (key_id, day, scope) do update set requests = api_key_usage.requests + excluded.requests`,
    [['key_1'], [20_000], ['notes'], ['5']],
  )
  await writeFeeds(database, n)
}

async function writeFeeds(database: Queryable, n: number): Promise<void> {
  await database.query(
    `insert into events (type, chain_id, data, created_at, dedupe_key) values ($1, $2, $3, $4, $5)
     on conflict (dedupe_key) do nothing`,
    ['notes', 324, '{}', 1, `notes ${n}`],
  )
  await database.query(
    `insert into hooks (id, url, types, chain_id, created_at, after_event)
     values ($1, $2, $3, $4, $5, (select coalesce(max(id), 0) from events))`,
    [`hook_${n}`, 'https://wallet.example', ['notes'], null, 1],
  )
  await database.query('insert into hook_secrets (hook_id, secret, created_at) values ($1, $2, $3)', [
    `hook_${n}`,
    'secret',
    1,
  ])
  await database.query(
    `insert into hook_deliveries as d (hook_id, event_id, webhook_id, type, chain_id, status, attempts, first_attempt_at,
       last_attempt_at, next_attempt_at, response_status, duration_ms, error)
     values ($1, $2, $3, $4, $5, $6, 1, $7, $7, $8, $9, $10, $11)`,
    [`hook_${n}`, n, 'msg', 'notes', 324, 'delivered', 1, null, 200, 5, null],
  )
  await database.query('insert into log_entries (index, leaf_hash, entry, public_from) values ($1, $2, $3, $4)', [
    n,
    new Uint8Array(32),
    'line',
    1,
  ])
  await database.query('insert into log_checkpoints (size, root, note, signed_at) values ($1, $2, $3, $4)', [
    n + 1,
    new Uint8Array(32),
    'note',
    1,
  ])
  await database.query(
    `insert into replicas (id, name, seen_at, key_revision, key_change) values ($1, $2, clock_timestamp(), $3, $4)
     on conflict (id) do update
       set seen_at = excluded.seen_at, key_revision = excluded.key_revision, key_change = excluded.key_change`,
    ['00000000-0000-4000-8000-000000000001', 'old:8443', n, null],
  )
  await database.query('insert into audit (actor, remark, action, subject, details) values ($1, $2, $3, $4, $5)', [
    ...['ann', null, 'key.create', `key_${n}`],
    {},
  ])
}
