import type { Migration } from '@tallystick/database'

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
